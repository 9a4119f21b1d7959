/**
 * One notifier per process: wakes every live reader when events are appended, and ends all of them when the
 * process stops.
 */

import { boundedByCount, Cache } from "../core/lib/cache.ts";
import type { FeedData, FeedNotifier } from "./port.ts";
import type { RenderedEvent } from "./rows.ts";

/** Longest wait without a wake-up, in milliseconds: a revoked token ends its streams within this time. */
export const recheckMs = 3_750;

/** Bounds the shared queries: readers at many different positions must not fill the memory. */
const sharedReadsMax = 1_000;

/** Opens the notifier. It subscribes to appends when the first reader notes the version. */
export function openFeedNotifier(data: FeedData): FeedNotifier {
  const reads = new Cache<string, Promise<RenderedEvent[]>>({ max: sharedReadsMax, bytesOf: boundedByCount });
  let waiting: PromiseWithResolvers<void> | null = null;
  let recheckTimer: Timer | undefined;
  let version = 0;
  let closed = false;
  let unsubscribe: (() => void) | undefined;
  const wakeAll = () => {
    clearTimeout(recheckTimer);
    const current = waiting;
    waiting = null;
    current?.resolve();
  };
  const onAppend = () => {
    version++;
    reads.clear();
    wakeAll();
  };
  return {
    get version() {
      unsubscribe ??= data.onAppend(onAppend); // without readers, do not watch for appends
      return version;
    },
    get closed() {
      return closed;
    },
    waitForChange(lastVersion) {
      if (closed || version !== lastVersion) return Promise.resolve();
      if (!waiting) {
        waiting = Promise.withResolvers();
        recheckTimer = setTimeout(wakeAll, recheckMs);
      }
      return waiting.promise;
    },
    sharedReader(projects, filter) {
      const scope = JSON.stringify([projects, filter]);
      return (after, limit) => {
        const key = `${after} ${limit} ${scope}`;
        let found = reads.get(key);
        if (!found) {
          found = data.feed(projects, { ...filter, after, order: "oldest first", limit });
          if (unsubscribe) reads.set(key, found); // without a subscription nothing would clear it
          found.catch(() => reads.delete(key));
        }
        return found;
      };
    },
    close() {
      closed = true;
      unsubscribe?.();
      onAppend();
    },
  };
}
