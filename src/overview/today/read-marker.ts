/** Up to where a person has read what happened: one marker for their sessions and their tokens. */
import { requireToken } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { dayMicros, fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import type { OverviewContext } from "../context.ts";
import type { ReadInput, ReadMarker } from "./schema.ts";

/** What a caller sees that never marked anything as read, or is anonymous. */
const firstLookMicros = 7 * dayMicros;

/** Up to where the caller has read. */
export async function readUpTo({ data, now }: OverviewContext, caller: Caller): Promise<Micros> {
  const reader = readerOf(caller);
  const marker = reader === null ? null : await data.readMarker(reader);
  return marker ?? now() - firstLookMicros;
}

/**
 * Marks everything up to `until` as read. Events that came later stay unread, as does everything if another
 * tab has already marked more.
 * @throws {Problem} 401 without a token
 */
export async function markAsRead(
  ctx: OverviewContext,
  { until }: ReadInput,
  caller: Caller,
): Promise<ReadMarker> {
  requireToken(caller, ctx.config);
  const reader = readerOf(caller) as string; // safe because: a token has a name
  // Events to come are not read.
  const ts = Math.min(toMicros(until), await ctx.data.head());
  await ctx.data.atomically((writes) => writes.moveReadMarker(reader, ts));
  return { since: fromMicros(await readUpTo(ctx, caller)) };
}
