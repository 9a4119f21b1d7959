/**
 * What hooks of a session leave for its next ones, as files. Imports only small modules.
 *
 * A failure: `claude -p` reports that a request failed, then that the session ended, which must not turn the
 * run into a finished one. A wait: only the first hook after an agent asked for an answer says so. Files that
 * the agent changed, until a report names them: without them, or if the folder cannot be written, the report
 * stays as it is.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { changedFilesMax } from "../../src/core/runs/reported-run.ts";
import { stateFolder } from "../login/user-folders.ts";

const folders = {
  failure: "failures",
  wait: "waits",
  files: "touched",
  filesReported: "touched-reported",
} as const;
type Mark = keyof typeof folders;
/** The names of the folders that hold them. */
export const markFolders = Object.values(folders);

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
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return null;
    const text = readFileSync(path, "utf8");
    rmSync(path);
    return { text, ageMs: Date.now() - stat.mtimeMs };
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

/** In the middle of a turn, files are reported this often at most: a session says where it is, not each step. */
const filesReportMs = 60_000;

/** Remembers files that the agent changed. @param paths inside the repository */
export function addTouchedFiles(session: string, paths: readonly string[]): void {
  mkdirSync(folderOf("files"), { recursive: true, mode: 0o700 });
  appendFileSync(pathOf("files", session), `${paths.join("\n")}\n`, { mode: 0o600 });
}

/** Whether files wait to be reported. @param isTurnOver then the last report may be as new as can be */
export function hasUnreportedFiles(session: string, isTurnOver: boolean): boolean {
  if (!existsSync(pathOf("files", session))) return false;
  const last = statSync(pathOf("filesReported", session), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return isTurnOver || Date.now() - last >= filesReportMs;
}

/** Takes the files to report, each once, as a field of the event. @param isOver no hook of the session follows */
export function takeTouchedFiles(session: string, isOver: boolean): { files?: string[] } {
  try {
    const files = takeLines(pathOf("files", session));
    if (isOver) take("filesReported", session);
    else if (files.length > 0) leave("filesReported", session, "");
    return files.length > 0 ? { files } : {};
  } catch {
    return {};
  }
}

/** The lines of a file, the last ones first, each once; a hook that runs meanwhile begins a new file. */
function takeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  const taken = `${path}.${process.pid}`;
  renameSync(path, taken);
  const lines = readFileSync(taken, "utf8").split("\n").filter(Boolean);
  rmSync(taken, { force: true });
  return [...new Set(lines.toReversed())].slice(0, changedFilesMax);
}
