/**
 * One follower a process: it wakes every live reader when the feed grew, and ends them all when the process
 * stops.
 */
import type { Data } from "../data.ts";
import type { Micros } from "../lib/time.ts";
import type { Projects, RenderedEvent } from "../rows.ts";
import type { FeedFilter } from "./schema.ts";

export interface Follower {
  /**
   * Rises with every wake-up. A reader takes it before it reads, so nothing that comes while it reads is
   * missed.
   */
  readonly version: number;
  readonly closed: boolean;
  /**
   * Resolves once the feed grew past `version` or the follower closes, and every now and then: for all who
   * wait at once.
   */
  grown(version: number): Promise<void>;
  /**
   * What came since, of these projects and with this filter, as `data.feedSince`; of one version it is read
   * once for all who ask alike. What is appended after that read raises the version, so whoever got less than
   * there is hears of it.
   */
  newsOf(projects: Projects, filter: FeedFilter): (after: Micros, limit: number) => Promise<RenderedEvent[]>;
  close(): void;
}

/** A reader looks around at least this often: a revoked token ends its streams within this time. */
export const recheckMs = 3_750;

/** Beyond so many all are read again: whoever starts anywhere must not fill the memory. */
const readMax = 1_000;

export function follow(data: Pick<Data, "onAppend" | "feedSince">): Follower {
  const read = new Map<string, Promise<RenderedEvent[]>>();
  let waiting: PromiseWithResolvers<void> | null = null;
  let looking: Timer | undefined;
  let version = 0;
  let closed = false;
  let unsubscribe: (() => void) | undefined;
  const wakeAll = () => {
    clearTimeout(looking);
    const woken = waiting;
    waiting = null;
    woken?.resolve();
  };
  const grow = () => {
    version++;
    read.clear();
    wakeAll();
  };
  return {
    get version() {
      return version;
    },
    get closed() {
      return closed;
    },
    grown(seen) {
      unsubscribe ??= data.onAppend(grow); // a process that nobody follows does not look
      if (closed || version !== seen) return Promise.resolve();
      if (!waiting) {
        waiting = Promise.withResolvers();
        looking = setTimeout(wakeAll, recheckMs);
      }
      return waiting.promise;
    },
    newsOf(projects, filter) {
      const whose = JSON.stringify([projects, filter]);
      return (after, limit) => {
        const asked = `${after} ${limit} ${whose}`;
        let found = read.get(asked);
        if (!found) {
          found = data.feedSince(projects, { ...filter, after, limit });
          if (read.size >= readMax) read.clear();
          if (unsubscribe) read.set(asked, found); // else nothing raises the version
          found.catch(() => read.delete(asked));
        }
        return found;
      };
    },
    close() {
      closed = true;
      unsubscribe?.();
      grow();
    },
  };
}
