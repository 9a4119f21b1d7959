/** One follower a process: it wakes every live reader when the feed grew, and ends them all when the process stops. */
import type { Data } from "../data.ts";

export interface Follower {
  /** Rises with every wake-up. A reader takes it before it reads, so nothing that comes while it reads is missed. */
  readonly version: number;
  readonly closed: boolean;
  /** Resolves once the feed grew past `version`, after `timeoutMs`, or when the signal or `close` ends the wait. */
  grown(version: number, timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

export function follow(data: Pick<Data, "onAppend">): Follower {
  const waiting = new Set<() => void>();
  let version = 0;
  let closed = false;
  let unsubscribe: (() => void) | undefined;
  const wakeAll = () => {
    version++;
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
    close() {
      closed = true;
      unsubscribe?.();
      wakeAll();
    },
  };
}
