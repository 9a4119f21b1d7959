/** Marks items of the inbox as done, snoozes them, and puts them back. */
import { requireToken } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import type { OverviewContext } from "../context.ts";
import { compileInbox, forgetCounts } from "./inbox.ts";
import type { DoneInput, Marked, SnoozeInput } from "./schema.ts";

/**
 * Marks items as done, or puts them back. What happens later brings an item back by itself.
 * @throws {Problem} 401 without a token
 */
export const markDone = (
  ctx: OverviewContext,
  { ids, done = true }: DoneInput,
  caller: Caller,
): Promise<Marked> => mark(ctx, caller, ids, done ? null : undefined);

/**
 * Hides items for a while.
 * @throws {Problem} 401 without a token, 400 for an unknown time zone
 */
export const snooze = (
  ctx: OverviewContext,
  { ids, for: length, time_zone = "UTC" }: SnoozeInput,
  caller: Caller,
): Promise<Marked> => mark(ctx, caller, ids, snoozeEnd(ctx.now(), length, time_zone));

/** @param until when the mark ends; null for never, undefined to remove it */
async function mark(
  ctx: OverviewContext,
  caller: Caller,
  ids: readonly string[],
  until: Micros | null | undefined,
): Promise<Marked> {
  requireToken(caller, ctx.config);
  const reader = readerOf(caller) as string; // safe because: a token has a name
  const { known } = await compileInbox(ctx, caller, { itemsMax: 0 });
  const given = [...new Set(ids)];
  const found = given.filter((id) => known.has(id));
  const at = ctx.now();
  await ctx.data.atomically((writes) =>
    until === undefined
      ? writes.unmarkInbox(reader, found)
      : writes.markInbox(
          reader,
          found.map((item) => ({ item, at, until })),
        ),
  );
  forgetCounts(ctx);
  const { count } = (await compileInbox(ctx, caller, { itemsMax: 0 })).inbox;
  return {
    count,
    until: until == null ? null : fromMicros(until),
    unknown: given.filter((id) => !known.has(id)),
  };
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
