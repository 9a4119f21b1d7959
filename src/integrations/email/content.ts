/** What a digest says: what waits, and what happened in its period. Every read is bounded. */

import { isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { outgoingDoor } from "../../core/auth/persons.ts";
import { dayMicros, dayOf, type Micros, toMicros } from "../../core/lib/time.ts";
import { listBudgets } from "../../feed/budgets/budgets.ts";
import type { Budget } from "../../feed/budgets/schema.ts";
import type { Inbox } from "../../overview/inbox/schema.ts";
import type { Today } from "../../overview/today/schema.ts";
import { loadPeriod, loadShares } from "../../overview/today/today.ts";
import type { IntegrationsContext } from "../context.ts";
import type { DigestPeriod } from "./schema.ts";

/** The most that is counted: more is "99+". */
export const countMax = 100;
/** Lines of a section. */
export const linesMax = 8;
const budgetsShown = 5;
const projectsMax = 500;

/** One thing with its page. */
export interface Line {
  text: string;
  path: string;
  project: string | null;
  at: Micros;
  due?: Micros;
  /** How it ended, after its text, which may be shortened. */
  outcome?: string;
}

export interface Section {
  count: number;
  lines: Line[];
}

export interface Spend {
  /** USD in the last full UTC days of the period, and in as many days before. */
  now: number;
  before: number;
  days: number;
  projects: { project: string; now: number; before: number }[];
  /** USD of each team in the last days, the most first. */
  teams: Today["spend"]["teams"];
  /** USD of the owner's person; null without one. */
  own: number | null;
}

export interface Content {
  from: Micros;
  to: Micros;
  project: string | null;
  /** What needs the owner; null without the scope to read it. */
  needs: Inbox | null;
  /** A sentence a task, as Today has them. */
  happened: Section;
  decisions: Section;
  spend: Spend;
  /** The highest percentage first. */
  budgets: Budget[];
}

interface Period {
  from: Micros;
  to: Micros;
}

/** Whether there is nothing to tell: what broke or was answered before the period was told before. */
export function isQuiet({ from, needs, happened, decisions, spend }: Content): boolean {
  const waits = ({ group }: Inbox["items"][number]) => group === "requested" || group === "waiting";
  const isNew = needs?.items.some((item) => waits(item) || toMicros(item.at) >= from) ?? false;
  return !isNew && spend.now === 0 && happened.count + decisions.count === 0;
}

/** Loads what the owner may read of a project, or of all their projects. */
export async function loadContent(
  ctx: IntegrationsContext,
  owner: Caller,
  { project, period, from, to }: Period & { project: string | null; period: DigestPeriod },
): Promise<Content> {
  const projects =
    project === null ? owner.projects : [project].filter((one) => owner.projects?.includes(one) ?? true);
  const caller: Caller = { ...owner, projects };
  const can = (scope: "feed:read" | "memory:read") => isAllowed(caller, scope, ctx.config);
  const none: Section = { count: 0, lines: [] };
  const span = { from, to };
  const [found, decisions, spend, budgets] = await Promise.all([
    can("feed:read") ? loadPeriod(ctx, caller, span) : null,
    can("memory:read") ? loadDecisions(ctx, caller, span) : none,
    loadSpend(ctx, caller, to, can("feed:read") ? (period === "daily" ? 1 : 7) : 0),
    can("feed:read") ? loadBudgets(ctx, caller) : [],
  ]);
  const happened = found ? toSection(found.happened) : none;
  const content = { from, to, project, needs: found?.needs ?? null, happened, decisions, spend, budgets };
  const door = await outgoingDoor(ctx, owner);
  return door ? door.hide(content) : content;
}

const toSection = ({ count, tasks }: Today["happened"]): Section => ({
  count,
  lines: tasks.slice(0, linesMax).map(({ title, text, url, project, at }) => {
    const { pathname, search } = new URL(url);
    return { text: title, outcome: `: ${text}`, path: pathname + search, project, at: toMicros(at) };
  }),
});

async function loadDecisions(
  { data }: IntegrationsContext,
  { projects }: Caller,
  { from, to }: Period,
): Promise<Section> {
  const newest = await data.decisions(projects, { status: "current", limit: countMax });
  const made = newest.filter(({ valid_from }) => valid_from >= from && valid_from < to);
  return {
    count: made.length,
    lines: made.slice(0, linesMax).map(({ id, text, project, valid_from }) => ({
      text,
      path: `/memory/decisions/${id}`,
      project,
      at: valid_from,
    })),
  };
}

/** Spend of full UTC days: those before the end of the period, and as many before them. */
async function loadSpend(ctx: IntegrationsContext, caller: Caller, to: Micros, days: number): Promise<Spend> {
  const { data } = ctx;
  const daysAgo = (count: number) => dayOf(to - count * dayMicros);
  const known = days === 0 ? [] : await data.projects(caller.projects, { limit: projectsMax });
  const rows = await data.dailyUsage(
    known.map(({ slug }) => slug),
    { from: daysAgo(2 * days), to: daysAgo(1) },
  );
  const isRecent = ({ day }: { day: string }) => day >= daysAgo(days);
  const byProject = [...Map.groupBy(rows, ({ project }) => project)].map(([project, rows]) => ({
    project,
    now: sumOf(rows.filter(isRecent)),
    before: sumOf(rows.filter((row) => !isRecent(row))),
  }));
  const total = (of: "now" | "before") => byProject.reduce((sum, one) => sum + one[of], 0);
  const spending = byProject.filter(({ now }) => now > 0).toSorted((a, b) => b.now - a.now);
  const shares =
    days === 0
      ? { teams: [], own: null }
      : await loadShares(ctx, caller, { from: daysAgo(days), to: daysAgo(1) });
  return { now: total("now"), before: total("before"), days, projects: spending.slice(0, 5), ...shares };
}

/** Those that are closest to their amount, or beyond it: mails to admins name no one either. */
async function loadBudgets(ctx: IntegrationsContext, caller: Caller): Promise<Budget[]> {
  const { budgets } = await listBudgets(ctx, {}, caller);
  const isShown = ({ person }: Budget) =>
    !ctx.config.hidePersons || person === null || person === caller.person;
  return budgets
    .filter(isShown)
    .toSorted((a, b) => b.percent - a.percent)
    .slice(0, budgetsShown);
}

const sumOf = (rows: { cost_equiv: number }[]): number =>
  rows.reduce((sum, { cost_equiv }) => sum + cost_equiv, 0);
