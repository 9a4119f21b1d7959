/** Limits how many requests of one token stay open at a time; each process counts its own. */
import type { Caller } from "../../core/auth/caller.ts";
import { perObject } from "../../core/lib/cache.ts";
import { Problem } from "../../core/problem.ts";
import type { FeedNotifier } from "../../feed/port.ts";

const countsOf = perObject((_: FeedNotifier) => new Map<string, number>());

/**
 * Counts an open request. @param what a plural, for the message
 * @returns ends it
 * @throws {Problem} 429 if the token has `max` of them
 */
export function enterParked(
  notifier: FeedNotifier,
  what: "waits" | "subscriptions",
  { hash, name }: Pick<Caller, "hash" | "name">,
  max: number,
): () => void {
  const counts = countsOf(notifier);
  const key = `${what} ${hash ?? name}`;
  const open = counts.get(key) ?? 0;
  if (open >= max)
    throw new Problem(
      429,
      `This token already has ${max} open ${what}. Each can cover several assets: pass more ids to one.`,
      { "retry-after": "5" },
    );
  counts.set(key, open + 1);
  return () => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
}

/** How many requests of all tokens are open. */
export const parkedTotal = (notifier: FeedNotifier): number =>
  countsOf(notifier)
    .values()
    .reduce((sum, count) => sum + count, 0);
