/** One round of sending: everything that waits, in order, in batches by destination. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Access, type Answer, accessTo, postReports } from "./post-reports.ts";
import type { SpoolItem } from "./spool.ts";
import { type Destination, reportAttempt, reportRefusal } from "./status.ts";

const batchMax = 100;
const briefsAtOnce = 8;
/** Refused items are kept for a look at them; beyond this, the oldest are deleted. */
const refusedMax = 200;

export interface Round {
  /** Items that are done with: acknowledged or refused. */
  done: SpoolItem[];
  /** Whether something still waits for a server. */
  isWaiting: boolean;
  /** The longest wait that a server asked for. */
  retryAfterMs: number;
}

interface Waiting {
  name: string;
  item: SpoolItem;
}

/** Sends what the names stand for. @param isHeld whether this process is still the one that sends */
export async function sendItems(folder: string, names: string[], isHeld: () => boolean): Promise<Round> {
  const round: Round = { done: [], isWaiting: false, retryAfterMs: 0 };
  const waiting = names.flatMap((name) => readItem(folder, name));
  const groups = Map.groupBy(waiting, ({ item: { server, connection } }) =>
    JSON.stringify([server, connection?.agent, connection?.folder]),
  );
  for (const group of groups.values()) await sendGroup(folder, group, round, isHeld);
  return round;
}

/** A file that is not an item is set aside. */
function readItem(folder: string, name: string): Waiting[] {
  let text: string;
  try {
    text = readFileSync(join(folder, name), "utf8");
  } catch {
    return []; // another sender was faster
  }
  try {
    const item = JSON.parse(text) as SpoolItem;
    if (typeof item.server === "string" && typeof item.report === "object") return [{ name, item }];
  } catch {}
  setAside(folder, name, null, "The file is damaged.");
  return [];
}

/** Events go in order, in batches. Briefs depend on nothing: each takes a request, a few at a time. */
async function sendGroup(
  folder: string,
  group: Waiting[],
  round: Round,
  isHeld: () => boolean,
): Promise<void> {
  const [briefs, events] = [true, false].map((isBrief) =>
    group.filter(({ item }) => "brief" in item.report === isBrief),
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
  for (let start = 0; start < briefs.length && isHeld(); start += briefsAtOnce) {
    const some = briefs.slice(start, start + briefsAtOnce);
    const outcomes = await Promise.all(some.map((brief) => deliver(folder, [brief], round)));
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
    setAside(folder, name, item, answer.reason);
  } else {
    for (const { name } of batch) rmSync(join(folder, name), { force: true });
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

function setAside(folder: string, name: string, item: SpoolItem | null, reason: string): void {
  const refused = join(folder, "refused");
  mkdirSync(refused, { recursive: true, mode: 0o700 });
  const report = item?.report;
  const run_id = (report && ("event" in report ? report.event.run_id : report.brief.run_id)) ?? null;
  renameSync(join(folder, name), join(refused, name));
  reportRefusal(folder, { at: new Date().toISOString(), run_id, reason });
  for (const old of readdirSync(refused).sort().slice(0, -refusedMax))
    rmSync(join(refused, old), { force: true });
}
