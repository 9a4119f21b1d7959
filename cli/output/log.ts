/** The log: one line of JSON per entry on standard error. Repeated lines are merged, with a count. */
import type { Log } from "../../src/core/context.ts";
import { writeError } from "./terminal.ts";

const windowMs = 1_000;
/** Maximum number of distinct lines per second. Further ones are merged into one line with a count. */
const distinctLinesMax = 50;

const write: Log = (level, message, fields = {}) => {
  writeError(`${JSON.stringify({ ts: new Date().toISOString(), level, message, ...fields })}\n`);
};

interface RepeatedLine {
  line: Parameters<Log>;
  /** Repetitions since the line was last written. */
  count: number;
}

/**
 * Limits a log to a bounded number of lines per second. The first of several equal lines is written
 * immediately, its repetitions once per second with their count. `path` is ignored in the comparison, because
 * clients choose it. Every line is counted, and memory is bounded.
 */
function boundedLog(log: Log): Log & { flush(): void } {
  let repeated = new Map<string, RepeatedLine>();
  let timer: Timer | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const previous = repeated;
    repeated = new Map();
    for (const [key, { line, count }] of previous) {
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
    const entry = repeated.get(key);
    if (entry) entry.count++;
    else if (repeated.size < distinctLinesMax) {
      log(...line);
      repeated.set(key, { line, count: 0 });
      schedule();
    } else {
      const overflow = repeated.get("") ?? { line: ["warn", "more log lines were merged"], count: 0 };
      overflow.count++;
      repeated.set("", overflow);
    }
  };
  return Object.assign(bounded, { flush });
}

export const jsonLog = boundedLog(write);
process.once("exit", jsonLog.flush);
