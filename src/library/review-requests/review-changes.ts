/**
 * Wakes clients that wait for reviews. One loop per process reads the time of the newest event about assets
 * after each notification of the feed, so a parked call costs nothing while other events are appended. Once
 * there is one, it looks at the assets of all calls in one read, and wakes those whose assets have changed
 * (`bun run bench agents`).
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
   * @param ids only for changes of these assets, which are pending
   * @returns unsubscribes
   */
  subscribe(onChange: () => void, ids?: readonly string[]): Promise<() => void>;
}

interface Subscriber {
  onChange(): void;
  ids: readonly string[] | undefined;
}

/** The changes that a notifier of the feed reports; one loop for each notifier, while there are subscribers. */
export const reviewChanges = perObject((notifier: FeedNotifier, data: LibraryReads): ReviewChanges => {
  const subscribers = new Set<Subscriber>();
  let started: PromiseWithResolvers<void> | null = null;
  /** The review of each asset that was not pending when all were looked at last. */
  let settled = new Map<string, string>();
  const wakeAll = () => {
    for (const { onChange } of [...subscribers]) onChange();
  };
  async function wakeChanged(): Promise<void> {
    const waiting = [...subscribers];
    const rows = await data.settledReviews([...new Set(waiting.flatMap(({ ids = [] }) => ids))]);
    const found = new Map(rows.map(({ id, status, reviewed_at }) => [id, `${status} ${reviewed_at}`]));
    const isChanged = (id: string) => found.get(id) !== settled.get(id);
    const changed = waiting.filter(({ ids }) => !ids || ids.some(isChanged));
    settled = found;
    for (const { onChange } of changed) onChange();
  }
  const readNewest = async (): Promise<Micros> =>
    (await data.feed(null, { kind: kinds, limit: 1 }))[0]?.ts ?? 0;
  async function follow(isReady: PromiseWithResolvers<void>): Promise<void> {
    let newest: Micros | null = null;
    while (subscribers.size > 0 && !notifier.closed) {
      const { version } = notifier; // noted before the read, so nothing appended meanwhile is missed
      const found = await readNewest().catch(() => unknown);
      if (newest !== null && found !== newest) await wakeChanged().catch(wakeAll);
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
    async subscribe(onChange, ids) {
      const subscriber = { onChange, ids };
      subscribers.add(subscriber);
      if (!started) {
        started = Promise.withResolvers();
        follow(started);
      }
      await started.promise;
      return () => void subscribers.delete(subscriber);
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
