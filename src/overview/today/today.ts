/** Today: what needs a person now, and what happened since they last looked. Every read is bounded. */

import { isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { dayMicros, dayOf, fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { type Json, jsonList, jsonObject } from "../../core/rendered-json.ts";
import { medianOf } from "../../core/today/median.ts";
import type { RunOutline, UsageRange } from "../../feed/rows.ts";
import type { Failure } from "../../feed/runs/repaired.ts";
import { readGroups } from "../../feed/usage/groups.ts";
import { sumOf } from "../../feed/usage/sums.ts";
import { countMax } from "../../library/review-queue/items.ts";
import { loadQueues, renderQueues } from "../../library/review-queue/review-queue.ts";
import { toListedRequest } from "../../library/review-requests/request.ts";
import { approvedByCaller } from "../../library/verdicts/approvals.ts";
import type { DecisionHistoryRow } from "../../memory/rows.ts";
import type { OverviewContext } from "../context.ts";
import type { Broken } from "../inbox/candidate.ts";
import { type CompiledQuery, compileInbox } from "../inbox/inbox.ts";
import { loadMerges, toHappened } from "./happened.ts";
import { readUpTo } from "./read-marker.ts";
import { loadFinishedRuns, toFinished, toSection } from "./runs.ts";
import type { Today, TodayQuery } from "./schema.ts";

const queuesShown = 8;
/** Of each queue. */
const oldestShown = 4;
/** Rows shown of a section. */
const shown = { failures: 10, decisions: 10, overdue: 10 };

/** Everything on Today since a time, or the caller's last visit; parts that need a scope they lack are null. */
export async function loadToday(
  ctx: OverviewContext,
  caller: Caller,
  query: TodayQuery = {},
): Promise<Json<Today>> {
  const [{ broken, ended, listed: _, ...stack }, reviews] = await Promise.all([
    loadStack(ctx, caller, query),
    isAllowed(caller, "assets:read", ctx.config) ? loadReviews(ctx, caller) : null,
  ]);
  const [finished, lost] = await Promise.all([
    toFinished(ctx, ended),
    toSection(ctx, lostSince(broken.lost, toMicros(stack.since))),
  ]);
  return jsonObject<Today>({
    ...stack,
    reviews,
    finished,
    lost,
    failures: failuresSince(broken.failures, toMicros(stack.since)),
  });
}

export type Stack = Omit<Today, "reviews" | "finished" | "lost" | "failures"> & {
  broken: Broken;
  /** How many items there are, of which `needs` may have fewer. */
  listed: number;
  /** Runs that finished, newest first. */
  ended: RunOutline[];
};

/** What needs the caller, and what happened since: what the page shows of Today. */
export async function loadStack(
  ctx: OverviewContext,
  caller: Caller,
  query: TodayQuery & Omit<CompiledQuery, "since"> = {},
): Promise<Stack> {
  const [since, until] = await Promise.all([
    query.since === undefined ? readUpTo(ctx, caller) : toMicros(query.since),
    ctx.data.head(),
  ]);
  const [{ inbox, broken, listed }, ended, merges, decisions, spend] = await Promise.all([
    compileInbox(ctx, caller, { ...query, since }),
    loadFinishedRuns(ctx, caller, { since }),
    loadMerges(ctx, caller, { since }),
    isAllowed(caller, "memory:read", ctx.config) ? loadDecisions(ctx, caller, since) : null,
    loadSpend(ctx, caller),
  ]);
  const happened = toHappened(ctx, { since, finished: ended, merges, broken });
  const running = await toSection(ctx, broken.running);
  return {
    since: fromMicros(since),
    until: fromMicros(until),
    needs: inbox,
    running,
    happened,
    decisions,
    spend,
    broken,
    listed,
    ended,
  };
}

/** What needs the caller now, and what happened in a period: what a digest shows of Today. */
export async function loadPeriod(
  ctx: OverviewContext,
  caller: Caller,
  { from, to }: { from: Micros; to: Micros },
): Promise<Pick<Today, "needs" | "happened">> {
  const period = { since: from - 1, until: to };
  const [{ inbox, broken }, finished, merges] = await Promise.all([
    compileInbox(ctx, caller),
    loadFinishedRuns(ctx, caller, period),
    loadMerges(ctx, caller, period),
  ]);
  return { needs: inbox, happened: toHappened(ctx, { ...period, finished, merges, broken }) };
}

type Reviews = NonNullable<Today["reviews"]>;

/** The review queues; the project whose oldest asset waits longest comes first. */
async function loadReviews(ctx: OverviewContext, caller: Caller): Promise<Json<Reviews>> {
  const { projects } = caller;
  const approved = await approvedByCaller(ctx, caller);
  const without = [...approved.keys()];
  const found = await loadQueues(ctx.data, projects, { listed: oldestShown, without });
  const [first, others] = [found.slice(0, queuesShown), found.slice(queuesShown)];
  const [list, overdue] = await Promise.all([
    renderQueues(ctx, first),
    ctx.data.reviewRequests(projects, { dueBefore: ctx.now(), limit: shown.overdue + approved.size }),
  ]);
  const count = Math.min(
    countMax,
    found.reduce((sum, queue) => sum + queue.count, 0),
  );
  const due = overdue.filter(({ asset }) => !approved.has(asset)).slice(0, shown.overdue);
  return jsonObject<Reviews>({
    count,
    queues: list,
    overdue: due.map((row) => toListedRequest(ctx.config, row)),
    others: others.map(({ project, count }) => ({ project, count })),
  });
}

function failuresSince(failures: readonly Failure[], since: Micros) {
  const found = failures.filter(({ row }) => row.ts > since);
  return jsonObject<NonNullable<Today["failures"]>>({
    count: Math.min(countMax, found.length),
    events: jsonList(
      found
        .slice(0, shown.failures)
        .map(({ row }) => row.wire)
        .join(),
    ),
  });
}

const lostSince = (lost: readonly RunOutline[], since: Micros): RunOutline[] =>
  lost.filter(({ last_event_at }) => last_event_at > since);

async function loadDecisions(
  { data }: OverviewContext,
  { projects }: Caller,
  since: Micros,
): Promise<Today["decisions"]> {
  const newest = await data.decisions(projects, { status: "current", limit: countMax });
  const found = newest.filter(({ valid_from }) => valid_from > since);
  const decisions = found.slice(0, shown.decisions).map(toDecision);
  return { count: found.length, decisions };
}

const toDecision = (row: DecisionHistoryRow) => {
  const { valid_until: _, supersedes: __, checks: ___, stops: ____, ...decision } = row;
  return { ...decision, valid_from: fromMicros(row.valid_from) };
};

/** What was spent today, against the two weeks before. */
const daysBefore = 14;

/** The cost of today and of each of the 14 days before, in USD. */
async function loadSpend(ctx: OverviewContext, caller: Caller): Promise<Today["spend"]> {
  const { data, now } = ctx;
  const { projects } = caller;
  const days = Array.from({ length: daysBefore + 1 }, (_, at) =>
    dayOf(now() - (daysBefore - at) * dayMicros),
  );
  const [from, to] = [days[0] as string, days.at(-1) as string];
  const { periods } = await readGroups(data, projects, { from, to, by: "project", interval: "day" });
  const costs = days.map((day) => sumOf((periods.get(day) ?? []).map(({ total }) => total)).cost_equiv);
  return {
    today: costs.at(-1) as number,
    usual: medianOf(costs.slice(0, -1)),
    days: days.map((day, at) => ({ day, cost_equiv: costs[at] as number })),
    ...(await loadShares(ctx, caller, { from: to, to })),
  };
}

/** The cost of some days by team, and that of the caller's person. */
export async function loadShares(
  { data }: Pick<OverviewContext, "data">,
  { projects, person }: Caller,
  range: UsageRange,
): Promise<Pick<Today["spend"], "teams" | "own">> {
  const of = (by: "team" | "person") =>
    data.groupUsage(projects, { by, ...range, perDay: false, withoutRest: true });
  const [byTeam, byPerson] = await Promise.all([of("team"), person === undefined ? [] : of("person")]);
  const teams = byTeam.flatMap(({ team, cost_equiv }) =>
    team && cost_equiv > 0 ? [{ team, cost_equiv }] : [],
  );
  return {
    teams: teams.sort((a, b) => b.cost_equiv - a.cost_equiv).slice(0, teamsMax),
    own: person === undefined ? null : (byPerson.find((row) => row.person === person)?.cost_equiv ?? 0),
  };
}

/** Teams that are listed: those that cost the most. */
const teamsMax = 20;
