/** The log: one JSON line each, on standard error. A flood of equal lines is one line a second. */
import type { Log } from "../src/context.ts";

const windowMs = 1_000;
/** Different lines of one second; what comes beyond them is counted together. */
const differentMax = 50;

const write: Log = (level, message, fields = {}) => {
  process.stderr.write(`${JSON.stringify({ ts: new Date().toISOString(), level, message, ...fields })}\n`);
};

interface Repeated {
  line: Parameters<Log>;
  /** How often it came since it was last written. */
  count: number;
}

/**
 * Writes a line at once, and what equals it at the end of each second, with its count, until a second has
 * none. Lines are equal whatever their `path`: clients choose that. Nothing is dropped uncounted, and the
 * memory it takes is bounded.
 */
export function boundedLog(log: Log): Log & { flush(): void } {
  let repeated = new Map<string, Repeated>();
  let timer: Timer | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const seen = repeated;
    repeated = new Map();
    for (const [key, { line, count }] of seen) {
      if (count === 0) continue;
      const [level, message, fields] = line;
      log(level, message, { ...fields, count });
      repeated.set(key, { line, count: 0 });
    }
    if (repeated.size > 0) schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(flush, windowMs);
    timer.unref();
  }

  const bounded: Log = (...line) => {
    const [level, message, { path: _, ...fields } = {}] = line;
    const key = JSON.stringify([level, message, fields]);
    const known = repeated.get(key);
    if (known) known.count++;
    else if (repeated.size < differentMax) {
      log(...line);
      repeated.set(key, { line, count: 0 });
      schedule();
    } else {
      const rest = repeated.get("") ?? { line: ["warn", "more log lines in this second"], count: 0 };
      rest.count++;
      repeated.set("", rest);
    }
  };
  return Object.assign(bounded, { flush });
}

export const jsonLog = boundedLog(write);
process.once("exit", jsonLog.flush);
