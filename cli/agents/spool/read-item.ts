/** Reads a file of the spool. Whatever stands there under the name of an item, the sender goes on. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { SpoolItem } from "./spool.ts";

/** More than any event or brief: the server takes no larger request for one. */
const itemBytesMax = 1024 * 1024;

/** The item, or why the file is none; null if another sender was faster. */
export function readItem(path: string): { item: SpoolItem } | { problem: string } | null {
  let text: string | null;
  try {
    text = readRegularFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? null : { problem: `The file cannot be read (${code}).` };
  }
  if (text === null) return { problem: "It is no file of at most 1 MiB." };
  try {
    const item: unknown = JSON.parse(text);
    if (isItem(item)) return { item };
  } catch {}
  return { problem: "The file is damaged." };
}

/** Does not wait for the writer of a named pipe. @returns null for what is no file, or too large */
function readRegularFile(path: string): string | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= itemBytesMax ? readFileSync(file, "utf8") : null;
  } finally {
    closeSync(file);
  }
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

/** What the sender reads of an item; the server checks the report itself. */
function isItem(value: unknown): value is SpoolItem {
  if (!isObject(value)) return false;
  const { server, connection, branch, report } = value;
  if (typeof server !== "string" || !/^https?:$/.test(URL.parse(server)?.protocol ?? "")) return false;
  if (connection !== null && !(isObject(connection) && typeof connection.agent === "string")) return false;
  if (!isTextOrNull(branch) || !isObject(report)) return false;
  return isObject(report.brief) ? typeof report.brief.run_id === "string" : isObject(report.event);
}
