/** Appends what telemetry says about runs and usage to the feed. */

import type { Action } from "../../core/audit/port.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { TimeSlices } from "../../core/lib/time-slices.ts";
import { checker, explain } from "../../core/lib/validate.ts";
import { Problem } from "../../core/problem.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import { toAppendable } from "../../feed/ingest/append-events.ts";
import { emailIdentity, withOwners } from "../../feed/ingest/owners.ts";
import type { Appendable } from "../../feed/rows.ts";
import { requireOwnRunId } from "../../feed/runs/rule.ts";
import { EventInput } from "../../feed/schema.ts";
import { withoutBackfilled } from "../backfill/recorded-calls.ts";
import type { IntegrationsContext } from "../context.ts";
import { findCorrections, type Pending } from "./corrections.ts";
import { mapRecord } from "./map.ts";
import { type PlacedEvent, placeRecords } from "./mapping.ts";
import { NestedCalls } from "./nested-calls.ts";
import { MalformedField } from "./otlp/schema.ts";
import type { TelemetryRecord } from "./records.ts";
import type { Mapped } from "./sources/source.ts";
import { contentKeyPrefix } from "./sources/step.ts";

/** What became of the records of a request. */
export interface IngestResult {
  /** Records that are in the feed now, those that were there before included. */
  accepted: number;
  /** Records about usage that are not in the feed. Records about anything else are neither. */
  rejected: number;
  /** Why, in sentences; empty if none was rejected. */
  message: string;
}

/** Reasons that a message lists. */
const reasonsMax = 5;

/** The records of a request that are not in the feed, by why. */
class Rejections {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** @param reason part of a sentence, such as `no project with slug 'atlas'` */
  add(reason: string): void {
    this.#total++;
    const isListed = this.#counts.has(reason) || this.#counts.size < reasonsMax;
    const key = isListed ? reason : "other reasons";
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The number of records, and a message such as `3 records: no project with slug 'atlas'.` */
  summary(): { rejected: number; message: string } {
    const parts = [...this.#counts].map(
      ([reason, count]) => `${count} ${count === 1 ? "record" : "records"}: ${reason}`,
    );
    return { rejected: this.#total, message: parts.length > 0 ? `${parts.join("; ")}.` : "" };
  }
}

/** Events of one transaction, which takes 60 µs for each. Other requests have a turn between two. */
const batchMax = 250;

/**
 * Reads all records before it appends the first: a malformed body changes nothing. Their dedupe keys make a
 * request that a sender repeats, after a timeout or a crash of either side, add only what is missing.
 * @throws {Problem} 400 if the body is malformed, 503 if the database is unavailable
 */
export async function ingest(
  ctx: IntegrationsContext,
  records: Iterable<TelemetryRecord | MalformedField>,
  caller: Caller,
  action: Action,
): Promise<IngestResult> {
  const rejections = new Rejections();
  const mapped: Mapped[] = [];
  const nested = new NestedCalls(ctx, caller.name);
  // One for the whole request: the first slices of many requests would else all run in one turn.
  const slices = new TimeSlices();
  await slices.next();
  for (const record of records) {
    if (record instanceof MalformedField) rejections.add(record.reason);
    else {
      const one = mapSafely(ctx, record, rejections);
      if (one) mapped.push(one);
      if (record.signal === "span") nested.add(record, one);
    }
    if (slices.isOver) await slices.next();
  }
  const calls = await nested.withoutRepeats(mapped, slices);
  return summaryOf(await appendMapped(ctx, calls, caller, action, slices), rejections);
}

/** One record that cannot be read must not hold back the others: senders drop whole requests. */
function mapSafely(
  { log }: IntegrationsContext,
  record: TelemetryRecord,
  rejections: Rejections,
): Mapped | null {
  try {
    return mapRecord(record);
  } catch (error) {
    if (error instanceof MalformedField) rejections.add(error.reason);
    else if (error instanceof Problem) throw error;
    else {
      log("error", "unexpected error in telemetry", { signal: record.signal, error: (error as Error).stack });
      rejections.add("svc could not read the record; its log has the cause");
    }
    return null;
  }
}

/**
 * Places events and appends them, at most 250 in a transaction. What fits no project, or is no valid event,
 * is rejected.
 * @returns for each event why it is not in the feed, part of a sentence; null if it is
 */
export async function appendMapped(
  ctx: IntegrationsContext,
  mapped: readonly Mapped[],
  caller: Caller,
  action: Action,
  slices = new TimeSlices(),
): Promise<(string | null)[]> {
  const { pending, problems } = await prepareEvents(ctx, mapped, caller, slices);
  const steps = await withoutBackfilled(ctx, pending);
  const audited = withAuditRow(ctx, action);
  for (let first = 0; first < steps.length; first += batchMax) {
    await slices.next();
    await appendSteps(audited, steps.slice(first, first + batchMax));
  }
  return problems;
}

export type Prepared = Pending;

/** Places events, and finds whose work they are. @returns those to append, and for each why it is none */
export async function prepareEvents(
  ctx: IntegrationsContext,
  mapped: readonly Mapped[],
  caller: Caller,
  slices: TimeSlices,
): Promise<{ pending: Pending[]; problems: (string | null)[] }> {
  const placed = await placeRecords(ctx, caller, mapped, slices);
  const events: Pending[] = [];
  const problems: (string | null)[] = [];
  const keyOf = distinctKeys();
  for (const [index, { event: mappedEvent }] of mapped.entries()) {
    const { reason, ...place } = { reason: null, ...(placed[index] as PlacedEvent) };
    const event = { ...mappedEvent, ...place, dedupe_key: keyOf(mappedEvent.dedupe_key) };
    const problem = reason ?? problemOf(event);
    if (problem === null)
      events.push({ event: toAppendable(event, caller), mapped: mapped[index] as Mapped });
    problems.push(problem);
    if (slices.isOver) await slices.next();
  }
  const owned = await withOwners(
    ctx,
    events.map(({ event }) => event),
    (index) => emailIdentity(events[index]?.mapped.event.email),
  );
  const pending = events.map((one, index) => ({ ...one, event: owned[index] as Appendable }));
  return { pending, problems };
}

/** Another node can correct the same call meanwhile: then what is recorded is read again. */
const triesMax = 3;

async function appendSteps(ctx: IntegrationsContext, steps: readonly Pending[]): Promise<void> {
  let { duplicates } = await ctx.data.append(steps.map(({ event }) => event));
  for (let time = 0; duplicates > 0 && time < triesMax; time++) {
    const corrections = await findCorrections(ctx, steps);
    if (corrections.length === 0) return;
    ({ duplicates } = await ctx.data.append(corrections.map(({ event }) => event)));
  }
}

/** Numbers the records of a request that have no id and the same content: each was a call of its own. */
function distinctKeys() {
  const counts = new Map<string, number>();
  return (key: string | null = null): string | null => {
    if (!key?.startsWith(contentKeyPrefix)) return key;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key}:${count}`;
  };
}

/** How many events are in the feed, and why the others are not. */
export function summaryOf(problems: readonly (string | null)[], rejections = new Rejections()): IngestResult {
  for (const problem of problems) if (problem !== null) rejections.add(problem);
  return { accepted: problems.filter((problem) => problem === null).length, ...rejections.summary() };
}

/** Why an event cannot be appended; null if it can. A mapping takes values as the sender wrote them. */
function problemOf(event: EventInput): string | null {
  if (!event.dedupe_key)
    return "the record has neither an id nor a time, so it cannot be told apart from others";
  const check = checker(EventInput);
  if (!check.Check(event)) {
    const error = check.Errors(event).First();
    return error ? explain(error).replace(/\.$/, "") : "the event is not valid";
  }
  try {
    requireOwnRunId(event.run_id);
    return null;
  } catch (error) {
    return (error as Problem).detail.replace(/\.$/, "");
  }
}
