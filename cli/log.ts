/** The log: one JSON line each, on standard error. */
import type { Log } from "../src/context.ts";

export const jsonLog: Log = (level, message, fields = {}) => {
  process.stderr.write(`${JSON.stringify({ ts: new Date().toISOString(), level, message, ...fields })}\n`);
};
