/**
 * Wakes clients that wait for reviews. One loop per process reads the time of the newest event about assets
 * after each notification of the feed, so a parked call costs nothing while other events are appended.
 */

import type { Caller } from "../../core/auth/caller.ts";
import { perObject } from "../../core/lib/cache.ts";
import type { Micros } from "../../core/lib/time.ts";
import { Problem } from "../../core/problem.ts";
import { kindsWith } from "../../feed/kinds.ts";
import type { FeedNotifier } from "../../feed/port.ts";
import type { LibraryReads } from "../port.ts";

const kinds = kindsWith("review");

/** Appends within this time share one read: too short to notice while waiting for a review. */
const coalesceMs = 25;

/** The time of the newest event when it cannot be read: the next time differs. */
const unknown = -1;

export interface ReviewChanges {
  /**
   * Calls `onChange` after each change that is committed once this resolves, and when the process stops.
   * @returns unsubscribes
   */
  subscribe(onChange: () => void): Promise<() => void>;
}

/** The changes that a notifier of the feed reports; one loop for each notifier, while there are subscribers. */
export const reviewChanges = perObject((notifier: FeedNotifier, data: LibraryReads): ReviewChanges => {
  const subscribers = new Set<() => void>();
  let started: PromiseWithResolvers<void> | null = null;
  const wakeAll = () => {
    for (const wake of [...subscribers]) wake();
  };
  const readNewest = async (): Promise<Micros> =>
    (await data.feed(null, { kind: kinds, limit: 1 }))[0]?.ts ?? 0;
  async function follow(isReady: PromiseWithResolvers<void>): Promise<void> {
    let newest: Micros | null = null;
    while (subscribers.size > 0 && !notifier.closed) {
      const { version } = notifier; // noted before the read, so nothing appended meanwhile is missed
      const found = await readNewest().catch(() => unknown);
      if (newest !== null && found !== newest) wakeAll();
      newest = found;
      isReady.resolve();
      await notifier.waitForChange(version);
      if (!notifier.closed) await Bun.sleep(coalesceMs);
    }
    started = null;
    isReady.resolve();
    wakeAll();
  }
  return {
    async subscribe(onChange) {
      subscribers.add(onChange);
      if (!started) {
        started = Promise.withResolvers();
        follow(started);
      }
      await started.promise;
      return () => void subscribers.delete(onChange);
    },
  };
});

/** Limits how many requests of one token stay open at a time; each process counts its own. */
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
