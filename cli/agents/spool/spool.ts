/**
 * The spool: reports that wait to be sent, one file each, in the order of their names. A file is written
 * under another name and renamed, and deleted only after the server has acknowledged it, so a process that
 * is killed at any point loses nothing; the `dedupe_key` keeps what is sent twice from counting twice.
 * `svc hook` writes here on every call, so this imports only Node modules.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClaimInput } from "../../../src/feed/claims/schema.ts";
import type { GivenBrief as BriefReport } from "../../../src/feed/runs/schema.ts";
import type { EventInput } from "../../../src/feed/schema.ts";
import type { Anchor } from "../../../src/memory/anchor-schema.ts";
import type { StopInput } from "../../../src/memory/checks/schema.ts";
import { stateFolder } from "../../login/user-folders.ts";
import type { Connection } from "../connections.ts";

export interface SpoolItem {
  /** URL of the server, without the path of the API. */
  server: string;
  /** The connection whose token sends it; null: SVC_TOKEN or the login of the server. */
  connection: Pick<Connection, "agent" | "folder"> | null;
  /** Branch that was checked out: the sender derives the issue from it. */
  branch: string | null;
  report: Report;
}

/**
 * What is sent: an event, the brief that a run was given from the cache, what a check stopped, what is left
 * of files, or the claim of the task that a session was started for.
 */
export type Report =
  | { event: EventInput }
  | { brief: GivenBrief }
  | { stop: StopInput }
  | { anchors: AskedAnchors }
  | { claim: SessionClaim };

/** The claim of the task that a session was started for. */
export type SessionClaim = Required<Pick<ClaimInput, "project" | "subjects" | "run_id">>;

/** The files of decisions to look for in a checkout. The sender does, so that no agent waits for it. */
export interface AskedAnchors {
  project: string;
  folder: string;
  anchors: Anchor[];
  run_id?: never;
}

/** The body of the report, and the run that it is about. */
export type GivenBrief = Required<Omit<BriefReport, "id">> & { run_id: BriefReport["id"] };

export const spoolFolder = (): string => join(stateFolder(), "spool");

const names = /^\d{17}-\d+-\d+\.json$/;
let count = 0;

/**
 * Adds an item, and returns the path of its file.
 * @throws if the folder cannot be written, for example because the disk is full
 */
export function addToSpool(item: SpoolItem, folder = spoolFolder()): string {
  const micros = Math.round((performance.timeOrigin + performance.now()) * 1000);
  const name = `${String(micros).padStart(17, "0")}-${process.pid}-${count++}.json`;
  const temporary = join(folder, `.${name}`);
  try {
    writeItem(temporary, JSON.stringify(item), folder);
    const path = join(folder, name);
    renameSync(temporary, path);
    return path;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeItem(path: string, text: string, folder: string): void {
  const options = { mode: 0o600, flag: "wx" };
  try {
    writeFileSync(path, text, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, text, options);
  }
}

/** The names of the items that wait, oldest first; none if there is no folder. */
export function listSpool(folder = spoolFolder()): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => names.test(name))
      .sort();
  } catch {
    return [];
  }
}
