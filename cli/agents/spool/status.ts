/** What the sender reports of its work, for `svc connect --list`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../login/private-file.ts";
import { listSpool, type SpoolItem, spoolFolder } from "./spool.ts";

/** Where items go: a server, with the token of a connection or of the login. */
export type Destination = Pick<SpoolItem, "server" | "connection">;

export interface DestinationStatus extends Destination {
  /** When the server last acknowledged something, RFC 3339. */
  sent_at: string | null;
  /** Why the last attempt failed; null after one that did not. */
  error: string | null;
}

export interface Refusal {
  at: string;
  run_id: string | null;
  reason: string;
}

export interface SenderStatus {
  /** Items deleted unsent since the spool was full. */
  dropped: number;
  /** Items that a server refused, and the newest reasons. */
  refused: number;
  refusals: Refusal[];
  destinations: DestinationStatus[];
}

export interface SpoolStatus extends SenderStatus {
  waiting: number;
}

const refusalsMax = 20;
const statusPath = (folder: string): string => join(folder, "status.json");

/** What waits, and what the sender reported. */
export const spoolStatus = (folder = spoolFolder()): SpoolStatus => ({
  ...readStatus(folder),
  waiting: listSpool(folder).length,
});

function readStatus(folder: string): SenderStatus {
  const status: SenderStatus = { dropped: 0, refused: 0, refusals: [], destinations: [] };
  try {
    return { ...status, ...(JSON.parse(readFileSync(statusPath(folder), "utf8")) as SenderStatus) };
  } catch {
    return status; // not written yet, or damaged: it is a report, not the work
  }
}

const isSame = (a: Destination, b: Destination): boolean =>
  a.server === b.server &&
  a.connection?.agent === b.connection?.agent &&
  a.connection?.folder === b.connection?.folder;

/** Reports an attempt. @param error null if the server acknowledged something */
export function reportAttempt(folder: string, destination: Destination, error: string | null): void {
  const status = readStatus(folder);
  const { server, connection } = destination;
  const before = status.destinations.find((one) => isSame(one, destination));
  if (before && error !== null && before.error === error) return;
  const sent_at = error === null ? new Date().toISOString() : (before?.sent_at ?? null);
  const others = status.destinations.filter((one) => one !== before);
  writeStatus(folder, { ...status, destinations: [...others, { server, connection, sent_at, error }] });
}

/** Records a report that the server refused; only the newest are listed. */
export function reportRefusal(folder: string, refusal: Refusal): void {
  const status = readStatus(folder);
  const refusals = [...status.refusals, refusal].slice(-refusalsMax);
  writeStatus(folder, { ...status, refused: status.refused + 1, refusals });
}

/** Records a file that keeps being in the way, once: each sender that starts meets it again. */
export function reportStuck(folder: string, reason: string): void {
  if (readStatus(folder).refusals.some((one) => one.reason === reason)) return;
  reportRefusal(folder, { at: new Date().toISOString(), run_id: null, reason });
}

/** Counts reports that were dropped because the spool was full. */
export function reportDropped(folder: string, count: number): void {
  const status = readStatus(folder);
  writeStatus(folder, { ...status, dropped: status.dropped + count });
}

/** A status that cannot be written, for example because the disk is full, does not stop the sender. */
function writeStatus(folder: string, status: SenderStatus): void {
  try {
    replaceFile(statusPath(folder), JSON.stringify(status));
  } catch {}
}
