/**
 * Briefs that hooks and the sender fetched, for sessions that start while the server does not answer. One
 * file for each server, project and branch. `svc hook` reads it, so this imports only Node modules.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../../login/user-folders.ts";
import type { Anchor } from "../../repository/anchor-states.ts";
import type { GivenBrief } from "../spool/spool.ts";

export interface BriefKey {
  server: string;
  project: string;
  /** Null: the brief of the project, for a branch that has none of its own yet. */
  branch: string | null;
}

export interface CachedBrief extends Pick<GivenBrief, "hash" | "from"> {
  text: string;
  /** What its decisions speak of; those of an older svc have none. */
  anchors?: Anchor[];
  /** When it was fetched, in milliseconds since the epoch. */
  at: number;
}

/** Beyond this age a brief is not given: what it says may have been decided otherwise since. */
const maxAgeMs = 7 * 24 * 3_600_000;

const briefFolder = (): string => join(stateFolder(), "briefs");

const briefPath = ({ server, project, branch }: BriefKey): string => {
  const key = JSON.stringify([server, project, branch]);
  const name = new Bun.CryptoHasher("sha256").update(key).digest("hex");
  return join(briefFolder(), `${name.slice(0, 32)}.json`);
};

/** The brief of the key; null if none was fetched in the last seven days. */
export function readBrief(key: BriefKey): CachedBrief | null {
  try {
    const cached = JSON.parse(readFileSync(briefPath(key), "utf8")) as CachedBrief;
    const isUsable = typeof cached.text === "string" && Date.now() - cached.at < maxAgeMs;
    return isUsable ? cached : null;
  } catch {
    return null;
  }
}

export function writeBrief(key: BriefKey, brief: CachedBrief): void {
  mkdirSync(briefFolder(), { recursive: true, mode: 0o700 });
  const path = briefPath(key);
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(brief), { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path);
}

/** Deletes the briefs that are too old to be given. */
export function deleteOldBriefs(): void {
  const folder = briefFolder();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - writtenAt > maxAgeMs) rmSync(path, { force: true });
  }
}
