/** Appends what telemetry says about runs and usage to the feed. */
import { withAuditRow } from "../audit/action.ts";
import type { Action } from "../audit/port.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { EventInput } from "../feed/schema.ts";
import { toAppendable } from "../ingest/append-events.ts";
import { checker, explain } from "../lib/validate.ts";
import { YieldBudget } from "../lib/yield-budget.ts";
import { Problem } from "../problem.ts";
import { requireOwnRunId } from "../runs/rule.ts";
import type { TelemetryRecord } from "./records.ts";
import { Rejections } from "./rejections.ts";

/** What a record says: an event, and where to look for its project. */
export interface Mapped<Place = unknown> {
  event: Omit<EventInput, "project">;
  place: Place;
}

/** Gives records their meaning and their projects. */
export interface Mapping<Place = unknown> {
  /** Null for a record that is not about a run or its usage. */
  mapRecord(record: TelemetryRecord): Mapped<Place> | null;
  /** The project of each, with the task that its place names; or why it has none. */
  placeRecords(ctx: Context, caller: Caller, mapped: readonly Mapped<Place>[]): Promise<Placed[]>;
}
export type Placed = Pick<EventInput, "issue" | "pr" | "repo"> & ({ project: string } | { reason: string });

/** What became of the records of a request. */
export interface IngestResult {
  /** Records that are in the feed now, those that were there before included. */
  accepted: number;
  /** Records about usage that are not in the feed. Records about anything else are neither. */
  rejected: number;
  /** Why, in sentences; empty if none was rejected. */
  message: string;
}

/** Events of one transaction. */
const batchMax = 1_000;
/** Other requests get a turn after this many records. */
const recordsPerTurn = 500;

/**
 * Reads all records before it appends the first: a malformed body changes nothing. Their dedupe keys make a
 * request that a sender repeats, after a timeout or a crash of either side, add only what is missing.
 * @throws {Problem} 400 if the body is malformed, 503 if the database is unavailable
 */
export async function ingest<Place>(
  ctx: Context,
  records: Iterable<TelemetryRecord>,
  caller: Caller,
  action: Action,
  mapping: Mapping<Place>,
): Promise<IngestResult> {
  const rejections = new Rejections();
  const mapped = await mapRecords(ctx, records, mapping, rejections);
  const placed = mapped.length > 0 ? await mapping.placeRecords(ctx, caller, mapped) : [];
  const events = mapped.flatMap(({ event }, index) => {
    const { reason, ...place } = { reason: null, ...(placed[index] as Placed) };
    const problem = reason ?? problemOf({ ...event, ...place });
    if (problem === null) return [toAppendable({ ...event, ...place }, caller)];
    rejections.add(problem);
    return [];
  });
  const { data } = withAuditRow(ctx, action);
  for (let first = 0; first < events.length; first += batchMax)
    await data.append(events.slice(first, first + batchMax));
  return { accepted: events.length, ...rejections.summary() };
}

async function mapRecords<Place>(
  { log }: Context,
  records: Iterable<TelemetryRecord>,
  { mapRecord }: Mapping<Place>,
  rejections: Rejections,
): Promise<Mapped<Place>[]> {
  const mapped: Mapped<Place>[] = [];
  const turn = new YieldBudget(recordsPerTurn);
  for (const record of records) {
    try {
      const one = mapRecord(record);
      if (one) mapped.push(one);
    } catch (error) {
      if (error instanceof Problem) throw error;
      // One record that a mapping cannot read must not hold back the others: senders drop whole requests.
      log("error", "unexpected error in telemetry", { signal: record.signal, error: (error as Error).stack });
      rejections.add("svc could not read the record; its log has the cause");
    }
    await turn.spend(1);
  }
  return mapped;
}

/** Why an event cannot be appended; null if it can. A mapping takes values as the sender wrote them. */
function problemOf(event: EventInput): string | null {
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
