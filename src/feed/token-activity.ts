/** What was done with a token, from the audit log and the feed. */
import type { ActivityLine, ActivityQuery, TokenActivity } from "../core/auth/token-requests.ts";
import { dayMicros, fromMicros, type Micros, toMicros } from "../core/lib/time.ts";
import { notFound } from "../core/problem.ts";
import type { FeedContext } from "./context.ts";
import type { Event } from "./schema.ts";

type Sum = Omit<ActivityLine, "first" | "last"> & { first: Micros; last: Micros };

/** Entries of each source that are read, newest first. */
const entriesMax = 100_000;

/** Sums up the requests and the events of a token since a time, by what they were. @throws 404 */
export async function listTokenActivity(
  { data, now }: Pick<FeedContext, "data" | "now">,
  query: ActivityQuery,
): Promise<TokenActivity> {
  const { name } = query;
  if (!(await data.tokenNamed(name))) throw notFound(`No token "${name}". See svc token list.`);
  const since = query.since === undefined ? now() - 7 * dayMicros : toMicros(query.since);
  const lines = new Map<string, Sum>();
  const add = (from: ActivityLine["from"], what: string, at: Micros, count = 1) => {
    const line = lines.get(from + what) ?? { from, what, count: 0, first: at, last: at };
    line.count += count;
    line.first = Math.min(at, line.first);
    line.last = Math.max(at, line.last);
    lines.set(from + what, line);
  };
  for (const { what, status, at, count } of await data.audit({ who: name, since, limit: entriesMax }))
    add("audit", status === 200 ? what : `${what}, refused with ${status}`, at, count);
  const actor = ["bot", "human", "agent", "runner"].map((kind) => `${kind}:${name}`);
  const rows = await data.feed(null, { actor, after: since - 1, order: "newest first", limit: entriesMax });
  for (const { wire, ts } of rows) add("feed", (JSON.parse(wire) as Event).kind, ts);
  const activity = [...lines.values()]
    .toSorted((a, b) => b.last - a.last)
    .map((line) => ({ ...line, first: fromMicros(line.first), last: fromMicros(line.last) }));
  return { activity };
}
