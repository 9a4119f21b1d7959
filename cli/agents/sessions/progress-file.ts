/** Which sessions were sent to a server, so that a backfill reads only what is new. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../login/private-file.ts";
import { stateFolder } from "../../login/user-folders.ts";

interface Saved {
  /** By agent and key: the version that was sent. */
  sessions: Record<string, string>;
  /** One of the runs that were sent: without it, the server is another one. */
  witness: { project: string; id: string } | null;
}

export class ProgressFile {
  readonly #path: string;
  #saved: Saved;

  /** @param target names the server or database */
  constructor(target: string) {
    const hash = new Bun.CryptoHasher("sha256").update(target).digest("hex").slice(0, 16);
    this.#path = join(stateFolder(), "backfill", `${hash}.json`);
    this.#saved = load(this.#path);
  }

  get witness(): Saved["witness"] {
    return this.#saved.witness;
  }

  has = (key: string, version: string): boolean => this.#saved.sessions[key] === version;

  add(key: string, version: string, witness: Saved["witness"]): void {
    this.#saved.sessions[key] = version;
    this.#saved.witness = witness ?? this.#saved.witness;
  }

  forget(): void {
    this.#saved = { sessions: {}, witness: null };
  }

  save(): void {
    replaceFile(this.#path, JSON.stringify(this.#saved));
  }
}

function load(path: string): Saved {
  try {
    const { sessions, witness } = JSON.parse(readFileSync(path, "utf8")) as Saved;
    if (typeof sessions === "object" && sessions !== null) return { sessions, witness: witness ?? null };
  } catch {} // none yet, or damaged: everything is read again, and added once
  return { sessions: {}, witness: null };
}
