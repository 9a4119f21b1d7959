/**
 * Usage by group on each day of a range, of all projects together, as a process remembers it. Adding up the
 * days of two hundred projects at every report took most of what the page of usage costs
 * (`bun run bench page-times`).
 */
import type { FeedReads } from "../../../src/feed/port.ts";
import type { GroupDay, GroupDays } from "../../../src/feed/rows.ts";
import type { UsageSums } from "../../../src/feed/usage/schema.ts";
import { addSums, addTo, noUsage, usageOf } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { readFeedHead } from "../head.ts";
import { markIncomplete } from "../pending.ts";
import { type DaySums, readDaySums } from "./day-sums.ts";
import { daysOf, dropChanged, isRemembered } from "./remembered-days.ts";
import { activeSlugs } from "./slugs.ts";

export const groupDayReads = (session: Session) =>
  ({
    async groupDays(projects, { by, ...query }) {
      const slugs = await activeSlugs(session, projects, query);
      if (!isRemembered(slugs, query)) return null;
      const { daySums } = session;
      const head = await readFeedHead(session);
      const version = await dropChanged(session, head);
      // Others than the active projects have nothing on these days.
      const name = JSON.stringify([by, query.project, projects]);
      const remembered = version ? daySums.groupsOf(name) : undefined;
      // Before it reads: an append that another read meets meanwhile drops days.
      const known = daysOf(query).map((day) => ({ day, groups: remembered?.days.get(day) }));
      const range = `${query.from} ${query.to}`;
      // Most events are of the last day: the sums of those before it stay.
      const earlier = `${query.from} ${known.at(-2)?.day}`;
      const [knownTotals, knownEarlier] = [range, earlier].map((one) => remembered?.totals.get(one));
      const isPending = { pending: head.derived < head.id };
      if (knownTotals) {
        const days = known.map(({ day, groups }) => groups ?? noGroups(day));
        return markIncomplete([isPending], { days, totals: knownTotals });
      }
      const missing = known.filter(({ groups }) => !groups);
      const [from, to] = [missing[0]?.day, missing.at(-1)?.day];
      const read = from && to ? await readDaySums(session, by, slugs, { from, to }) : null;
      const readOf = sumProjects(read?.found ?? []);
      const found = known.map(({ day, groups }) => readOf.get(day) ?? groups ?? noGroups(day));
      const before = { days: found.slice(0, -1), totals: knownEarlier ?? totalsOf(found.slice(0, -1)) };
      const result = { days: found, totals: totalsOf(found.slice(-1), before.totals) };
      const isCurrent =
        version !== null && daySums.version === version && (read?.version ?? version) === version;
      if (isCurrent && !knownEarlier && before.days.length > 0) daySums.setGroups(name, earlier, before);
      if (isCurrent) daySums.setGroups(name, range, result);
      return markIncomplete([isPending], result);
    },
  }) satisfies Partial<FeedReads>;

const noGroups = (day: string) => ({ day, sums: new Map<string, UsageSums>(), total: noUsage() });

/** Adds up the projects of each day. */
function sumProjects(found: DaySums["found"]): Map<string, GroupDay> {
  const days = new Map<string, ReturnType<typeof noGroups>>();
  for (const { day, value } of found) {
    const { sums, total } = days.getOrInsertComputed(day, noGroups);
    for (const { name, usage } of value) {
      addTo(sums, name, usage);
      addSums(total, usage);
    }
  }
  return days;
}

function totalsOf(days: readonly GroupDay[], earlier: GroupDays["totals"] = new Map()): GroupDays["totals"] {
  const totals = new Map([...earlier].map(([name, usage]) => [name, usageOf(usage)]));
  for (const { sums } of days) for (const [name, usage] of sums) addTo(totals, name, usage);
  return totals;
}
