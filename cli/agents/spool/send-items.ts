/** One round of sending: everything that waits, in order, in batches by destination. */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { type Access, type Answer, accessTo, postReports } from "./post-reports.ts";

import type { SpoolItem } from "./spool.ts";
import { type Destination, reportAttempt, reportRefusal, reportStuck } from "./status.ts";

const batchMax = 100;
const othersAtOnce = 8;
/** Refused items are kept for a look at them; beyond this, the oldest are deleted. */
const refusedMax = 200;

export interface Round {
  /** Items that are done with: acknowledged or refused. */
  done: SpoolItem[];
  /** Files that can be neither deleted nor set aside, which this process leaves alone from then on. */
  stuck: Set<string>;
  /** Whether something still waits for a server. */
  isWaiting: boolean;
  /** The longest wait that a server asked for. */
  retryAfterMs: number;
}

interface Waiting {
  name: string;
  item: SpoolItem;
}

/**
 * Sends what the names stand for.
 * @param stuck gets the names of files that can be neither deleted nor set aside
 * @param isHeld whether this process is still the one that sends
 */
export async function sendItems(
  folder: string,
  names: string[],
  stuck: Set<string>,
  isHeld: () => boolean,
): Promise<Round> {
  const round: Round = { done: [], stuck, isWaiting: false, retryAfterMs: 0 };
  const waiting = names.flatMap((name): Waiting[] => {
    const found = readItem(join(folder, name));
    if (found && "problem" in found) setAside(folder, name, null, found.problem, round);
    return found && "item" in found ? [{ name, item: found.item }] : [];
  });
  const groups = Map.groupBy(waiting, ({ item: { server, connection } }) =>
    JSON.stringify([server, connection?.agent, connection?.folder]),
  );
  for (const group of groups.values()) await sendGroup(folder, group, round, isHeld);
  return round;
}

/** Events go in order, in batches. Others depend on nothing: each takes a request, a few at a time. */
async function sendGroup(
  folder: string,
  group: Waiting[],
  round: Round,
  isHeld: () => boolean,
): Promise<void> {
  const [events, others] = [true, false].map((isEvent) =>
    group.filter(({ item }) => "event" in item.report === isEvent),
  ) as [Waiting[], Waiting[]];
  for (let start = 0, size = batchMax; start < events.length && isHeld(); ) {
    const batch = events.slice(start, start + size);
    const outcome = await deliver(folder, batch, round);
    if (outcome === "later") return;
    if (outcome === "refused" && batch.length > 1) {
      size = 1; // one of them blocks the others: find it
      continue;
    }
    start += batch.length;
    size = Math.min(batchMax, size * 2);
  }
  for (let start = 0; start < others.length && isHeld(); start += othersAtOnce) {
    const some = others.slice(start, start + othersAtOnce);
    const outcomes = await Promise.all(some.map((other) => deliver(folder, [other], round)));
    if (outcomes.includes("later")) return;
  }
}

/** Sends a batch, and does with its files what the answer says. A refused batch of several stays. */
async function deliver(folder: string, batch: Waiting[], round: Round): Promise<Answer["outcome"]> {
  const { item, name } = batch[0] as Waiting;
  const answer = await send(item, batch);
  if (answer.outcome === "later") {
    reportAttempt(folder, item, answer.reason);
    round.isWaiting = true;
    round.retryAfterMs = Math.max(round.retryAfterMs, answer.retryAfterMs ?? 0);
    return "later";
  }
  if (answer.outcome === "refused") {
    if (batch.length > 1) return "refused";
    setAside(folder, name, item, answer.reason, round);
  } else {
    for (const { name } of batch) deleteItem(folder, name, round.stuck);
    reportAttempt(folder, item, null);
  }
  round.done.push(...batch.map(({ item }) => item));
  return answer.outcome;
}

async function send(destination: Destination, batch: Waiting[]): Promise<Answer> {
  let access: Access | null;
  try {
    access = await accessTo(destination);
  } catch (error) {
    return { outcome: "later", reason: (error as Error).message }; // the file of connections is damaged
  }
  if (!access) return { outcome: "refused", reason: "The connection was removed." };
  return postReports(
    destination.server,
    access,
    batch.map(({ item }) => item),
  );
}

/** Deletes an item that is done with, or adds it to those that are stuck. @returns whether it is deleted */
export function deleteItem(folder: string, name: string, stuck: Set<string>): boolean {
  const path = join(folder, name);
  try {
    rmSync(path, { force: true });
    return true;
  } catch (error) {
    stuck.add(name);
    reportStuck(folder, `svc cannot delete ${path} (${(error as NodeJS.ErrnoException).code}). Delete it.`);
    return false;
  }
}

function setAside(folder: string, name: string, item: SpoolItem | null, reason: string, round: Round): void {
  const refused = join(folder, "refused");
  try {
    mkdirSync(refused, { recursive: true, mode: 0o700 });
    renameSync(join(folder, name), join(refused, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    round.stuck.add(name);
    reportStuck(folder, `${reason} svc cannot move ${join(folder, name)} (${code}). Delete it.`);
    return;
  }
  const report = item?.report;
  const run_id = (report && Object.values(report)[0].run_id) ?? null;
  reportRefusal(folder, { at: new Date().toISOString(), run_id, reason });
  for (const old of readdirSync(refused).sort().slice(0, -refusedMax))
    rmSync(join(refused, old), { force: true, recursive: true });
}

/** More than any event or brief: the server takes no larger request for one. */
const itemBytesMax = 1024 * 1024;

/** The item, or why the file is none; null if another sender was faster. */
function readItem(path: string): { item: SpoolItem } | { problem: string } | null {
  let text: string | null;
  try {
    text = readRegularFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? null : { problem: `The file cannot be read (${code}).` };
  }
  if (text === null) return { problem: "It is no file of at most 1 MiB." };
  try {
    const item: unknown = JSON.parse(text);
    if (isItem(item)) return { item };
  } catch {}
  return { problem: "The file is damaged." };
}

/** Does not wait for the writer of a named pipe. @returns null for what is no file, or too large */
function readRegularFile(path: string): string | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= itemBytesMax ? readFileSync(file, "utf8") : null;
  } finally {
    closeSync(file);
  }
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

/** What the sender reads of an item; the server checks the report itself. */
function isItem(value: unknown): value is SpoolItem {
  if (!isObject(value)) return false;
  const { server, connection, branch, report } = value;
  if (typeof server !== "string" || !/^https?:$/.test(URL.parse(server)?.protocol ?? "")) return false;
  if (connection !== null && !(isObject(connection) && typeof connection.agent === "string")) return false;
  if (!isTextOrNull(branch) || !isObject(report)) return false;
  if (isObject(report.anchors))
    return typeof report.anchors.folder === "string" && Array.isArray(report.anchors.anchors);
  if (isObject(report.claim)) return typeof report.claim.project === "string";
  if (isObject(report.stop)) return Number.isSafeInteger(report.stop.id);
  return isObject(report.brief) ? typeof report.brief.run_id === "string" : isObject(report.event);
}
