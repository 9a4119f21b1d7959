/** One follower a process: it wakes every live reader when the feed grew, and ends them all when the process stops. */
import type { Data, Reads } from "../data.ts";

export interface Follower {
  /** Rises with every wake-up. A reader takes it before it reads, so nothing that comes while it reads is missed. */
  readonly version: number;
  readonly closed: boolean;
  /** Resolves once the feed grew past `version`, after `timeoutMs`, or when the signal or `close` ends the wait. */
  grown(version: number, timeoutMs: number, signal: AbortSignal): Promise<void>;
  /**
   * What came, as `data.feedSince`; of one version it is read once for all who ask alike. What is appended after that read
   * raises the version, so whoever got less than there is hears of it.
   */
  since: Reads["feedSince"];
  close(): void;
}

/** Beyond so many all are read again: whoever starts anywhere must not fill the memory. */
const readMax = 1_000;

export function follow(data: Pick<Data, "onAppend" | "feedSince">): Follower {
  const waiting = new Set<() => void>();
  const read = new Map<string, ReturnType<Reads["feedSince"]>>();
  let version = 0;
  let closed = false;
  let unsubscribe: (() => void) | undefined;
  const wakeAll = () => {
    version++;
    read.clear();
    for (const wake of [...waiting]) wake();
  };
  return {
    get version() {
      return version;
    },
    get closed() {
      return closed;
    },
    grown(seen, timeoutMs, signal) {
      unsubscribe ??= data.onAppend(wakeAll); // a process that nobody follows does not look
      if (closed || signal.aborted || version !== seen) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const timer = setTimeout(wake, timeoutMs);
        signal.addEventListener("abort", wake);
        waiting.add(wake);
      });
    },
    since(projects, query) {
      const asked = JSON.stringify([projects, query]);
      let found = read.get(asked);
      if (!found) {
        found = data.feedSince(projects, query);
        if (read.size >= readMax) read.clear();
        if (unsubscribe) read.set(asked, found); // else nothing raises the version
        found.catch(() => read.delete(asked));
      }
      return found;
    },
    close() {
      closed = true;
      unsubscribe?.();
      wakeAll();
    },
  };
}
