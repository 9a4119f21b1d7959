/**
 * What hooks of a session leave for its next ones, as files. Imports only Node modules.
 *
 * A failure: `claude -p` reports that a request failed, then that the session ended, which must not turn the
 * run into a finished one. A wait: only the first hook after an agent asked for an answer says so.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../login/user-folders.ts";

const folders = { failure: "failures", wait: "waits" } as const;
type Mark = keyof typeof folders;

/** A session that goes on for longer has recovered from a failure. */
const recentMs = 10_000;

const folderOf = (mark: Mark): string => join(stateFolder(), folders[mark]);
const pathOf = (mark: Mark, session: string): string =>
  join(folderOf(mark), new Bun.CryptoHasher("sha256").update(session).digest("hex").slice(0, 32));

function leave(mark: Mark, session: string, text: string): void {
  mkdirSync(folderOf(mark), { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(mark, session), text, { mode: 0o600 });
}

/** Returns the text of a mark and its age, and deletes it; null if there is none. */
function take(mark: Mark, session: string): { text: string; ageMs: number } | null {
  const path = pathOf(mark, session);
  try {
    const { mtimeMs } = statSync(path);
    const text = readFileSync(path, "utf8");
    rmSync(path);
    return { text, ageMs: Date.now() - mtimeMs };
  } catch {
    return null;
  }
}

/** Remembers that a request of the session failed. @param reason one word */
export const rememberFailure = (session: string, reason = ""): void => leave("failure", session, reason);

/** Returns the reason if the session failed just now, and forgets it; null if it did not. */
export function takeRecentFailure(session: string): string | null {
  const failure = take("failure", session);
  return failure && failure.ageMs < recentMs ? failure.text : null;
}

/** Remembers that the agent of the session waits for an answer. */
export const rememberWait = (session: string): void => leave("wait", session, "");

/** Whether the agent of the session waited for an answer; it is forgotten. */
export const takeWait = (session: string): boolean => take("wait", session) !== null;
