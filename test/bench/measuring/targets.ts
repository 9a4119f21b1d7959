/** What every row is measured against: the one table of targets. */
import type { Result } from "./measure.ts";

/**
 * The ratio of svc's CPU (or time, as the row says) to that of the reference that is allowed; null: any. Or the
 * reference is a limit.
 */
type Target = number | "a limit" | null;

const atMost = (ratio: number): Target => ratio;
const limit = "a limit" satisfies Target;

const targets = {
  "memory of a server a minute after pages and uploads": limit,
  "size of the executable": limit,
  "svc hook, end of a session": limit,
  "svc --version": limit,
  "svc --help": limit,
  "svc event --help": limit,
  "svc brief, local folder": limit,
  "svc recall, local folder": limit,
  "feed, newest page, against a prebuilt response": null,
  "feed, newest page, unchanged (304), against a prebuilt response": atMost(2),
  "feed, random page, against rows and JSON.stringify": null,
  "feed, random page, against the query of svc in a plain server": null,
  "feed on Postgres, newest page, against its query by Bun.SQL": atMost(1.5),
  "feed on Postgres, random page, against its query by Bun.SQL": atMost(1.5),
  "svc asset push of 100 small files, 15 ms round trip, a file": limit,
  "upload of 64 KiB as a form, against a plain program": atMost(1.6),
  "upload of 64 KiB of random bytes as a form, against a plain program": null,
  "upload of a PNG of 64 KiB as a form": limit,
  "upload of 1 MiB as a form, against a plain program": atMost(1.25),
  "upload of 64 KiB, reserved, sent and finalized, against a plain program": atMost(3),
  "download of 100 MiB, against nginx": atMost(1.3),
  "ranges of 1 MiB, against nginx": atMost(1.3),
  "ranges of 64 KiB, against nginx": atMost(2),
  "ranges of 64 KiB, against a plain program": atMost(1.3),
  "ranges of 4 KiB, against a plain program": atMost(2.5),
  "ranges of 16 KiB by one player, against a plain program": atMost(2),
  "append, batches of 100, against a plain server": atMost(1.5),
  "append, single events of 64 writers, against a plain server": atMost(1.5),
  "append, single events of one writer, against a plain server": atMost(1.5),
  "append on Postgres, batches of 100, against a plain server": null,
  "append on Postgres, single events of 64 writers, against a plain server": null,
  "append on Postgres, single events of one writer, against a plain server": null,
  "append on Postgres 0 ms away, batches of 100 by 4 writers a node, 4 nodes against one": atMost(1.3),
  "append on Postgres 0 ms away, single events of 64 writers a node, 4 nodes against one": atMost(1.3),
  "append on Postgres 2 ms away, batches of 100 by 4 writers a node, 4 nodes against one": atMost(1.3),
  "append on Postgres 2 ms away, single events of 64 writers a node, 4 nodes against one": atMost(1.3),
  "append on Postgres 10 ms away, batches of 100 by 4 writers a node, 4 nodes against one": atMost(1.3),
  "append on Postgres 10 ms away, single events of 64 writers a node, 4 nodes against one": atMost(1.3),
  "projects, first page, against a prebuilt response": atMost(2),
  "projects, every page, against a prebuilt response": null,
  "assets, newest page, against rows with two HMACs each": atMost(0.75),
  "assets, random page, against rows with two HMACs each": atMost(0.75),
  "svc mcp, first response on stdio, against server-everything": atMost(1),
  "svc_get_info on stdio, median call, against the echo of server-everything": atMost(1.5),
  "svc_get_feed on stdio, 1 event, median call, against an echo of a word": atMost(1.5),
  "svc_get_info on stdio, 16 in flight, against the echo of server-everything": atMost(1),
  "svc_get_feed on stdio, 1 event, 16 in flight, against an echo of a word": atMost(1),
  "svc_get_feed on stdio, 50 events, 16 in flight, against an echo of a page": atMost(1),
  "svc_get_feed over MCP, 1 event, against an echo of a word": atMost(1.5),
  "svc_get_feed over MCP, 50 events, against an echo of a page": atMost(1.5),
  "svc_get_feed over MCP, 50 events, against an echo of a word": null,
  "feed page (HTML), against GET /feed": atMost(2),
  "feed page (HTML), one new row, against GET /feed": null,
  "feed page (HTML), all rows new, against GET /feed": null,
  "telemetry in protobuf, one usage in 8 records, against 20,000 records/s of a core": limit,
  "telemetry in JSON, one usage in 8 records, against 20,000 records/s of a core": limit,
  "telemetry in protobuf, every record a usage, against 20,000 records/s of a core": limit,
  "telemetry, memory after the rounds, against the first": atMost(1.3),
  "append, single events of 64 writers, with 1,000 webhooks against none": atMost(1.2),
  "first paint of the slowest main page, against the same files from a static server": atMost(1.5),
  "the slowest page on SQLite, first request of a process": limit,
  "the slowest page on SQLite, after a change": limit,
  "the slowest list on SQLite, after a change": limit,
  "the slowest page on Postgres, first request of a process": limit,
  "the slowest page on Postgres, after a change": limit,
  "the slowest list on Postgres, after a change": limit,
  "the slowest page on SQLite, a million events, first request of a process": limit,
  "the slowest page on SQLite, a million events, after a change": limit,
  "the slowest list on SQLite, a million events, after a change": limit,
  "the slowest page on Postgres, a million events, first request of a process": limit,
  "the slowest page on Postgres, a million events, after a change": limit,
  "the slowest list on Postgres, a million events, after a change": limit,
  "runs, newest page": limit,
  "runs of an actor": limit,
  "a run, as a page": limit,
  "a task, as a page": limit,
  "Today, as a page": limit,
  "recall of two words": limit,
  "the search page": limit,
  "usage by model": limit,
  "annotations, 100 of an image": limit,
  "the desk, an image with 100 annotations": limit,
  "import of all kinds into SQLite, an event": limit,
  "import of all kinds into Postgres 2 ms away, an event": limit,
  "bytes for an imported event of all kinds, on SQLite": limit,
  "bytes for an event, agents, on SQLite": null,
  "bytes for an event, agents, on Postgres": null,
  "bytes for an event, forge, on SQLite": null,
  "bytes for an event, forge, on Postgres": null,
  "bytes for an event, every kind alike, on SQLite": null,
  "bytes for an event, every kind alike, on Postgres": null,
} satisfies Record<string, Target>;

export type Measure = keyof typeof targets;

/**
 * A row of the table.
 * @param svc, reference cells that say what was measured
 * @param amount see `Result`
 */
export function resultOf(
  measure: Measure,
  svc: string,
  reference: string,
  ratio: number,
  amount: number,
): Result {
  const target: Target = targets[measure];
  const row = { measure, svc, ceiling: reference, ratio, amount };
  if (target === null) return { ...row, aim: "none", reached: true };
  if (target === limit) return { ...row, aim: `at most ${limitIn(reference)}`, reached: ratio <= 1 };
  const [, name] = measure.split(/,? against /);
  return { ...row, aim: `at most ${target} times ${name}`, reached: ratio <= target };
}

/** What svc may take, without the words behind it. */
const limitIn = (reference: string): string => reference.replace(/ \(.*/, "");

/** A row of which svc may take so much. */
export const limitedResult = (
  measure: string,
  svc: string,
  amount: number,
  [most, unit]: readonly [number, string],
): Result => ({
  ...{ measure, svc, ceiling: `${most} ${unit}`, ratio: amount / (most || 1), amount },
  ...{ aim: `at most ${most} ${unit}`, reached: amount <= most },
});
