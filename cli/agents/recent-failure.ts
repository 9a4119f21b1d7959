/**
 * The failure of a session that ends right after it: `claude -p` reports that a request failed, then that the
 * session ended, which must not turn the run into a finished one. Imports only Node modules.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../login/user-folders.ts";

/** A session that goes on for longer has recovered. */
const recentMs = 10_000;

const folder = (): string => join(stateFolder(), "failures");
const pathOf = (session: string): string =>
  join(folder(), new Bun.CryptoHasher("sha256").update(session).digest("hex").slice(0, 32));

/** Remembers that a request of the session failed. @param reason one word */
export function rememberFailure(session: string, reason = ""): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(session), reason, { mode: 0o600 });
}

/** Returns the reason if the session failed just now, and forgets it; null if it did not. */
export function takeRecentFailure(session: string): string | null {
  const path = pathOf(session);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  const reason = readFileSync(path, "utf8");
  rmSync(path, { force: true });
  return Date.now() - stat.mtimeMs < recentMs ? reason : null;
}
