/**
 * Imports past events from NDJSON in batches, one transaction each. Importing the same lines again adds
 * nothing. */

import { adminCaller } from "../../core/auth/caller.ts";
import { normalizeUnicode } from "../../core/lib/strings/nfc.ts";
import { type Micros, toMicros } from "../../core/lib/time.ts";
import { checker, requireValid } from "../../core/lib/validate.ts";
import { badRequest, Problem } from "../../core/problem.ts";
import type { FeedContext } from "../context.ts";
import { dedupeScope } from "../reserved-keys.ts";
import type { Appendable } from "../rows.ts";
import { payloadOf } from "../runs/payload.ts";
import { eventFields, ImportedEvent } from "../schema.ts";
import { resolveProjects } from "./append-events.ts";
import { pastTimeFault } from "./past-time.ts";

/** Pages of indexes are written once for a batch, but other writers wait for it, some 0.1 s. */
const batchLength = 2_000;
/** A batch that the database does not take in time is halved down to this, and so are those after it. */
const batchLengthMin = 125;

export interface ImportResult {
  accepted: number;
  duplicates: number;
  lines: number;
}

/**
 * Appends each line's event at its `ts`, or now if it has none. An invalid line stops the import with an
 * error that names the line; batches before it stay, and running the import again skips them.
 * @param onProgress called after each batch with the totals so far
 */
export async function importEvents(
  ctx: FeedContext,
  lines: AsyncIterable<string>,
  onProgress: (totals: ImportResult) => void,
): Promise<ImportResult> {
  const result: ImportResult = { accepted: 0, duplicates: 0, lines: 0 };
  let batch: { event: ImportedEvent; line: number }[] = [];
  let length = batchLength;
  const append = async (events: Appendable[]): Promise<void> => {
    try {
      const { added, duplicates } = await ctx.data.append(events);
      result.accepted += added.length;
      result.duplicates += duplicates;
    } catch (error) {
      const isTooSlow = error instanceof Problem && error.status === 503;
      if (!isTooSlow || events.length <= batchLengthMin) throw error;
      const half = Math.ceil(events.length / 2);
      length = Math.min(length, Math.max(batchLengthMin, half));
      await append(events.slice(0, half));
      await append(events.slice(half));
    }
  };
  /** The batch before, which a distant database takes while the next one is read. */
  let appended: Promise<void> = Promise.resolve();
  const flush = async () => {
    const sent = batch.map(({ event }) => event);
    const events = await resolveProjects(ctx, sent, adminCaller).catch((error) => {
      throw withLine(error, (index) => (batch[index] as (typeof batch)[number]).line);
    });
    const rows = events.map(toAppendable);
    const { lines } = result;
    await appended;
    batch = [];
    appended = append(rows).then(() => onProgress({ ...result, lines }));
    appended.catch(() => {}); // of the one who awaits it next
  };
  try {
    for await (const text of lines) {
      result.lines++;
      if (text.trim() === "") continue;
      batch.push({ event: readLine(text, result.lines, ctx.now()), line: result.lines });
      if (batch.length >= length) await flush();
    }
    if (batch.length > 0) await flush();
  } finally {
    await appended;
  }
  return result;
}

function readLine(text: string, line: number, now: Micros): ImportedEvent {
  try {
    return readEvent(text, now);
  } catch (error) {
    throw withLine(error, () => line);
  }
}

function readEvent(text: string, now: Micros): ImportedEvent {
  let value: unknown;
  try {
    value = JSON.parse(normalizeUnicode(text));
  } catch {
    throw badRequest("not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest("not a JSON object");
  requireValid(checker(ImportedEvent), value);
  const event = value as ImportedEvent;
  const fault = event.ts === undefined ? null : pastTimeFault(event.ts, now);
  if (fault) throw badRequest(`ts ${fault}`);
  return event;
}

/** Of the fields that a line may have, those of its row. */
const rowFields = Object.keys(ImportedEvent.properties).filter(
  (name) => !/^(ts|parent_run_id|branch|files|email)$/.test(name),
) as (keyof ImportedEvent)[];

function toAppendable(line: ImportedEvent): Appendable {
  const fields: Record<string, unknown> = {};
  for (const field of rowFields) if (line[field] !== undefined) fields[field] = line[field];
  const row = fields as unknown as Appendable; // safe because: those are its fields
  const { ts, run_id, parent_run_id, branch, files } = line;
  const payload = run_id ? payloadOf({ ts, parent_run_id, branch, files }) : null;
  if (payload) row.payload = payload;
  const at = ts === undefined ? undefined : toMicros(ts);
  if (row.dedupe_key) row.key_scope = dedupeScope(row.project ?? null, adminCaller.name as string);
  else Object.assign(row, lineKeys(line, at));
  if (at !== undefined) row.ts = at;
  return row;
}

const hashedFields = eventFields.filter((field) => !/^(cost_source|team|person)$/.test(field));

/**
 * The keys of a line without a `dedupe_key`, from a hash of its fields, so that importing it again adds no
 * duplicate. A line of the past has its time first: keys of a log that is read in its order are neighbors in
 * their index, where hashes would change a page each (`bun run bench import`). Earlier versions gave the hash
 * alone.
 */
function lineKeys(
  line: ImportedEvent,
  at: Micros | undefined,
): Pick<Appendable, "dedupe_key" | "earlier_key"> {
  const values: unknown[] = [];
  for (const field of hashedFields) {
    const value = line[field as keyof ImportedEvent];
    // The hash is that of versions that knew neither of these.
    if (value || (field !== "run_id" && field !== "task")) values.push(value ?? null);
  }
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest();
  const earlier_key = `line:${hash.toString("hex")}`;
  if (at === undefined) return { dedupe_key: earlier_key };
  const time = at.toString(36).padStart(timeLength, "0");
  return { dedupe_key: `line:~${time}${hash.toString("base64url", 0, hashBytes)}`, earlier_key };
}

/** Digits of a time in base 36, until 2085. */
const timeLength = 10;
/** Of the hash: lines of one microsecond differ in it. */
const hashBytes = 12;

/** Makes a 400 name the line: `events[n]` of a batch is line `lineOf(n)` of the input. */
function withLine(error: unknown, lineOf: (index: number) => number): unknown {
  if (!(error instanceof Problem) || error.status !== 400) return error;
  const [prefix = "", index] = /^events\[(\d+)\]\.?/.exec(error.detail) ?? [];
  return badRequest(`line ${lineOf(Number(index ?? 0))}: ${error.detail.slice(prefix.length)}`);
}
