/** Budgets: what is spent of them, and setting and removing them. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { dayOf, fromMicros, type Micros } from "../../core/lib/time.ts";
import { badRequest, conflict, notFound } from "../../core/problem.ts";
import type { FeedContext, FeedRule } from "../context.ts";
import { requireLane } from "../feed.ts";
import type { FeedReads, FeedWrites } from "../port.ts";
import { requireProject } from "../projects/projects.ts";
import type { BudgetRow, SpendingRow } from "../rows.ts";
import { addDays } from "../usage/ranges.ts";
import { forecastDays, forecastOf } from "./forecast.ts";
import { budgetNotice } from "./notice.ts";
import { requireOwners, visibleBudgets } from "./owners.ts";
import {
  type Budget,
  type BudgetCheck,
  type BudgetCheckQuery,
  type BudgetInput,
  type BudgetList,
  type BudgetPath,
  type BudgetQuery,
  type BudgetSet,
  type BudgetState,
  budgetsMax,
  scopeFields,
} from "./schema.ts";
import { budgetName, endOf, sameScope, startsOn, thresholdOf, wholePercent } from "./spending.ts";

/** The budgets that apply to some work, with a forecast for each. */
export async function listBudgets(ctx: FeedContext, query: BudgetQuery, caller: Caller): Promise<BudgetList> {
  requireLane(ctx.config, query.lane);
  const at = await currentTime(ctx, ctx.data);
  const loaded = await loadBudgets(ctx, ctx.data, query, caller, at);
  const budgets = await Promise.all(loaded.map((one) => withForecast(ctx.data, one, at)));
  budgets.sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id);
  return { budgets, count: budgets.length };
}

/** What is left of the budgets that apply to some work of the caller, if it is of a person or a team. */
export const checkBudgets: FeedRule<BudgetCheckQuery, BudgetCheck> = async (ctx, query, caller) => {
  requireLane(ctx.config, query.lane);
  const { team, person } = caller;
  const work = { ...query, ...(team !== undefined && { team }), ...(person !== undefined && { person }) };
  const loaded = await loadBudgets(ctx, ctx.data, work, caller, await currentTime(ctx, ctx.data));
  const budgets = loaded.map(({ state }) => state);
  budgets.sort((a, b) => b.percent - a.percent || a.id - b.id);
  return { exhausted: budgets.some(({ percent }) => percent >= 100), budgets, count: budgets.length };
};

/**
 * Sets the amount of a budget, and adds the budget if there is none for this work and period. It starts with
 * what the period has cost, and a threshold that is reached by that is told at once.
 * @throws 400 for a caller of some projects that names none, 404 for an unknown project, 409 beyond the most
 */
export const setBudget: FeedRule<BudgetInput, BudgetSet> = async (
  ctx,
  { by, amount, period, ...work },
  caller,
) => {
  if (work.project !== undefined) await requireProject(ctx.data, work.project, caller);
  else if (caller.projects !== null)
    throw badRequest(
      `project is required: this token can set budgets only for ${caller.projects.join(", ")}.`,
    );
  requireLane(ctx.config, work.lane);
  await requireOwners(ctx, work, caller);
  const { project = null, team = null, person = null, lane = null, model = null } = work;
  const scope = { project, team, person, lane, model };
  const changed_by = eventActor(actorOf(caller, by));
  return ctx.data.atomically(async (writes) => {
    const at = await currentTime(ctx, writes);
    const change = { amount, changed_by, changed_at: ctx.now() };
    const all = await writes.budgets(null);
    const known = all.find((one) => one.period === period && sameScope(one, scope));
    const isChanged = known?.amount !== amount;
    if (known && isChanged) await writes.changeBudget(known.id, change);
    const budget = known
      ? { ...known, ...(isChanged && change) }
      : await addBudget(writes, { ...scope, period, ...change }, all.length, at);
    const spending = (await writes.spendingOn(dayOf(at))).find((row) => row.budget === budget.id);
    if (isChanged) await evaluate(writes, budget, spending);
    const loaded = { row: budget, state: stateOf(budget, spending?.spent ?? 0, at) };
    return { ...(await withForecast(writes, loaded, at)), changed: isChanged };
  });
};

/** @returns the budget as it was @throws 404 if the caller may not read it */
export const removeBudget: FeedRule<BudgetPath, BudgetState> = async (ctx, { id }, caller) => {
  return ctx.data.atomically(async (writes) => {
    const loaded = await loadBudgets(ctx, writes, {}, caller, await currentTime(ctx, writes));
    const found = loaded.find(({ row }) => row.id === id);
    if (!found) throw notFound(`No budget with id ${id}.`);
    await writes.removeBudget(id);
    return found.state;
  });
};

/** The time of the next event: a clock can be behind the newest one. */
const currentTime = async ({ now }: Pick<FeedContext, "now">, data: FeedReads): Promise<Micros> =>
  Math.max(now(), await data.head());

interface Loaded {
  row: BudgetRow;
  state: BudgetState;
}

async function loadBudgets(
  ctx: Pick<FeedContext, "config">,
  data: FeedReads,
  query: BudgetQuery,
  caller: Caller,
  at: Micros,
): Promise<Loaded[]> {
  if (query.project !== undefined) await requireProject(data, query.project, caller);
  const applies = (own: string | null, given: string | undefined) =>
    own === null || given === undefined || own === given;
  const [rows, spending] = await Promise.all([visibleBudgets(ctx, data, caller), data.spendingOn(dayOf(at))]);
  const spent = new Map(spending.map((row) => [row.budget, row.spent]));
  return rows
    .filter((row) => scopeFields.every((field) => applies(row[field], query[field])))
    .map((row) => ({ row, state: stateOf(row, spent.get(row.id) ?? 0, at) }));
}

function stateOf(row: BudgetRow, spent: number, at: Micros): BudgetState {
  const { id, project, team, person, lane, model, period, amount } = row;
  const start = startsOn(dayOf(at))[period];
  return {
    id,
    name: budgetName(row),
    project,
    team,
    person,
    lane,
    model,
    period,
    amount,
    start,
    end: endOf(start, period),
    spent: rounded(spent),
    left: rounded(Math.max(0, amount - spent)),
    percent: wholePercent(spent, amount),
  };
}

/** Without the noise of adding fractions, to a billionth of a dollar. */
const rounded = (amount: number): number => Number(amount.toFixed(9));

async function withForecast(data: FeedReads, { row, state }: Loaded, at: Micros): Promise<Budget> {
  const today = dayOf(at);
  const days = await data.costByDay(row, { from: addDays(today, -forecastDays), to: addDays(today, -1) });
  const forecast = forecastOf(
    state.spent,
    days.map(({ cost_equiv }) => cost_equiv),
    { at, end: state.end },
  );
  const { changed_by, changed_at } = row;
  return {
    ...state,
    forecast: forecast === null ? null : rounded(forecast),
    changed_by,
    changed_at: fromMicros(changed_at),
  };
}

/** Adds a budget with what its current period has cost already. */
async function addBudget(
  writes: FeedWrites,
  budget: Omit<BudgetRow, "id" | "since">,
  known: number,
  at: Micros,
): Promise<BudgetRow> {
  if (known >= budgetsMax)
    throw conflict(`There are ${known} budgets, which is the most. Remove one that is not needed.`);
  const since = startsOn(dayOf(at))[budget.period];
  const id = await writes.addBudget({ ...budget, since });
  const days = await writes.costByDay(budget, { from: since, to: endOf(since, budget.period) });
  const spent = days.reduce((sum, { cost_equiv }) => sum + cost_equiv, 0);
  await writes.setSpending({ budget: id, start: since, spent, notified: 0 });
  return { ...budget, id, since };
}

/** Writes a notice if the amount is one that a higher threshold is reached of. */
async function evaluate(
  writes: FeedWrites,
  budget: BudgetRow,
  spending: SpendingRow | undefined,
): Promise<void> {
  if (!spending) return;
  const notified = thresholdOf(spending.spent, budget.amount);
  if (notified !== spending.notified) await writes.setSpending({ ...spending, notified });
  if (notified > spending.notified) await writes.append([budgetNotice(budget, spending.spent)]);
}
