/** Events of the past: NDJSON, in batches, each all or nothing; a second run adds nothing. */
import { adminCaller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { eventFields, ImportedEvent, keyScope } from "../feed/schema.ts";
import { type Micros, secondMicros, toMicros } from "../lib/time.ts";
import { checkInput } from "../lib/validate.ts";
import { badRequest, Problem } from "../problem.ts";
import type { Appendable } from "../rows.ts";
import { placed } from "./append-events.ts";

const batchLength = 500;
/** A time may be this far ahead of our clock: clocks differ. */
const aheadMicros = 5 * 60 * secondMicros;

export interface Imported {
  accepted: number;
  duplicates: number;
  lines: number;
}

/**
 * Appends each line's event at the time it names, or now where it names none. Batches before a line that
 * cannot be taken stay; the error names the line, and a second run goes on behind them.
 * @param report called after each batch
 */
export async function importEvents(
  ctx: Context,
  lines: AsyncIterable<string>,
  report: (so: Imported) => void,
): Promise<Imported> {
  const done: Imported = { accepted: 0, duplicates: 0, lines: 0 };
  let batch: { event: ImportedEvent; line: number }[] = [];
  const flush = async () => {
    const lineOf = (index: number) => (batch[index] as (typeof batch)[number]).line;
    const events = await saidOf(lineOf, () =>
      placed(
        ctx,
        batch.map(({ event }) => event),
        adminCaller,
      ),
    );
    const { added, duplicates } = await ctx.data.append(events.map(toAppendable));
    done.accepted += added.length;
    done.duplicates += duplicates;
    batch = [];
    report(done);
  };
  for await (const text of lines) {
    done.lines++;
    if (text.trim() === "") continue;
    batch.push({
      event: await saidOf(
        () => done.lines,
        () => readEvent(text, ctx.now()),
      ),
      line: done.lines,
    });
    if (batch.length === batchLength) await flush();
  }
  if (batch.length > 0) await flush();
  return done;
}

function readEvent(text: string, now: Micros): ImportedEvent {
  let value: unknown;
  try {
    value = JSON.parse(text.normalize("NFC"));
  } catch {
    throw badRequest("not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest("not a JSON object");
  const event = checkInput(ImportedEvent, new Map(Object.entries(value))) as ImportedEvent;
  if (event.ts !== undefined && toMicros(event.ts) > now + aheadMicros)
    throw badRequest("ts is more than five minutes ahead of the clock");
  return event;
}

/** A line without a key gets one from what it says, so that the same line is known again. */
function toAppendable({ ts, dedupe_key, ...event }: ImportedEvent): Appendable {
  const said = eventFields.map((field) => (field === "ts" ? ts : event[field as keyof typeof event]) ?? null);
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(said)).digest("hex");
  const key = dedupe_key
    ? { dedupe_key, key_scope: keyScope(event.project ?? null, adminCaller.name as string) }
    : { dedupe_key: `line:${digest}` };
  return { ...event, ...key, ...(ts !== undefined && { ts: toMicros(ts) }) };
}

/** Whatever is wrong is said of its line: `events[n]` of a batch is its line `lineOf(n)`. */
async function saidOf<T>(lineOf: (index: number) => number, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    const [prefix = "", index] = /^events\[(\d+)\]\.?/.exec(error.detail) ?? [];
    throw badRequest(`line ${lineOf(Number(index ?? 0))}: ${error.detail.slice(prefix.length)}`);
  }
}
