/** Marks items of the inbox as done, snoozes them, and puts them back. */
import { requireToken } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import type { OverviewContext } from "../context.ts";
import { forgetCounts, loadInbox } from "./inbox.ts";
import type { DoneInput, Marked, SnoozeInput } from "./schema.ts";

/**
 * Marks items as done, or puts them back. What happens later brings an item back by itself.
 * @throws {Problem} 401 without a token
 */
export async function markDone(
  ctx: OverviewContext,
  { ids, done = true }: DoneInput,
  caller: Caller,
): Promise<Marked> {
  requireToken(caller, ctx.config);
  const reader = readerOf(caller) as string; // safe because: a token has a name
  const items = [...new Set(ids)];
  const at = ctx.now();
  await ctx.data.atomically((writes) =>
    done
      ? writes.markInbox(
          reader,
          items.map((item) => ({ item, at, until: null })),
        )
      : writes.unmarkInbox(reader, items),
  );
  return markedAs(ctx, caller, null);
}

/**
 * Hides items for a while.
 * @throws {Problem} 401 without a token, 400 for an unknown time zone
 */
export async function snooze(
  ctx: OverviewContext,
  { ids, for: length, time_zone = "UTC" }: SnoozeInput,
  caller: Caller,
): Promise<Marked> {
  requireToken(caller, ctx.config);
  const reader = readerOf(caller) as string; // safe because: a token has a name
  const at = ctx.now();
  const until = snoozeEnd(at, length, time_zone);
  const marks = [...new Set(ids)].map((item) => ({ item, at, until }));
  await ctx.data.atomically((writes) => writes.markInbox(reader, marks));
  return markedAs(ctx, caller, until);
}

async function markedAs(ctx: OverviewContext, caller: Caller, until: Micros | null): Promise<Marked> {
  forgetCounts(ctx);
  const { count } = await loadInbox(ctx, caller);
  return { count, until: until === null ? null : fromMicros(until) };
}

const morning = { hour: 9 };
const daysInWeek = 7;

/** When a snooze that begins at `now` ends. @throws {Problem} 400 for an unknown time zone */
export function snoozeEnd(now: Micros, length: SnoozeInput["for"], timeZone: string): Micros {
  const local = zonedTime(now, timeZone);
  if (length === "hour") return microsOf(local.add({ hours: 1 }));
  const days = length === "tomorrow" ? 1 : daysInWeek + 1 - local.dayOfWeek;
  return microsOf(local.add({ days }).withPlainTime(morning));
}

function zonedTime(now: Micros, timeZone: string): Temporal.ZonedDateTime {
  try {
    return Temporal.Instant.fromEpochNanoseconds(BigInt(now) * 1_000n).toZonedDateTimeISO(timeZone);
  } catch {
    throw badRequest(`time_zone: '${timeZone}' is not a time zone. Use an IANA name such as Europe/Lisbon.`);
  }
}

const microsOf = (time: Temporal.ZonedDateTime): Micros => Number(time.epochNanoseconds / 1_000n);
