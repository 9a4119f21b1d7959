/**
 * Random appends on two nodes, with duplicates, late events and new periods: what a budget has spent in each
 * period is the sum over the events, and each threshold is told once a period.
 */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { dayMicros, dayOf, toMicros } from "../../../src/core/lib/time.ts";
import { setBudget } from "../../../src/feed/budgets/budgets.ts";
import type { BudgetInput } from "../../../src/feed/budgets/schema.ts";
import { startsOn, thresholdOf } from "../../../src/feed/budgets/spending.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { dialects, event, link, openApp, rowsOf, scaled } from "../../support/harness.ts";
import { seededRandom } from "../../support/random.ts";

const turns = scaled(120, 1_500);

/** The budgets, and the turn after which each of them is set. */
const budgets: [number, BudgetInput][] = [
  [0, { period: "day", amount: 12 }],
  [0, { project: "atlas", period: "week", amount: 40 }],
  [40, { project: "borealis", model: "m", period: "month", amount: 20 }],
  [60, { lane: "lane_a", period: "month", amount: 70 }],
  [50, { team: "maps", period: "month", amount: 12 }],
  [50, { project: "atlas", person: "dana", period: "week", amount: 4 }],
];

describe.each(dialects)("random appends on %s", (dialect) => {
  test("are counted once in the period of their time, and each threshold is told once", async () => {
    const random = seededRandom(24);
    await using app = await openApp(dialect);
    const other = await openData(app.url, { now: app.clock.now, log() {}, connections: 2 });
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
    const dana = { id: "dana", name: null, team: "maps", created_at: 1, removed_at: null };
    await app.ctx.data.atomically((writes) => writes.savePerson(dana));
    const events: EventRow[] = [];
    const set: (BudgetInput & { id: number; name: string; since: string })[] = [];
    let duplicates = 0;
    for (let turn = 0; turn < turns; turn++) {
      for (const [at, input] of budgets)
        if (at === turn) {
          const { id, name, start } = await setBudget(app.ctx, input, adminCaller);
          set.push({ ...input, id, name, since: start });
        }
      const batch = Array.from({ length: random.between(1, 4) }, () =>
        event({
          kind: "step.usage",
          project: random.pick(["atlas", "borealis", null]),
          team: random.pick(["maps", "tools", null]),
          person: random.pick(["dana", "kim", null]),
          lane: random.pick(["lane_a", "lane_b", null]),
          model: random.pick(["m", "n", null]),
          cost_equiv: random.pick([0, 0.1, 1.7, 3]),
          ...(random.chance(0.3) && { dedupe_key: `key-${random.between(0, 20)}` }),
          ...(random.chance(0.2) && { ts: app.clock.now() - random.between(1, 20) * (dayMicros / 2) }),
        }),
      );
      const result = await random.pick([app.ctx.data, other]).append(batch);
      events.push(...result.added);
      duplicates += result.duplicates;
      if (random.chance(0.5)) app.clock.advance(random.between(1, 12) * (dayMicros / 24));
    }
    await other.close();
    expect(duplicates).toBeGreaterThan(5);
    const { data } = app.ctx;
    expect(await data.findInconsistencies()).toEqual([]);
    await rowsOf(app.url, "update budget_periods set spent = spent + 1");
    expect((await data.findInconsistencies()).map(({ kind }) => kind)).toContain("budgets");
    await data.rebuildDerivedRows(["budgets"]);
    const rows = await rowsOf(app.url, "select budget, start, spent, notified from budget_periods");
    const page = await app.ctx.data.feed(null, {
      kind: "budget.reached",
      order: "oldest first",
      limit: 1000,
    });
    const notices = page.map(({ wire }) => JSON.parse(wire) as { ts: string; summary: string });
    for (const { id, name, since, period, amount, project, team, person, lane, model } of set) {
      const own = events.filter(
        (one) =>
          one.project !== null &&
          one.project === (project ?? one.project) &&
          one.team === (team ?? one.team) &&
          one.person === (person ?? one.person) &&
          one.lane === (lane ?? one.lane) &&
          one.model === (model ?? one.model),
      );
      const startOf = (ts: number) => startsOn(dayOf(ts))[period];
      const sums = new Map<string, number>();
      for (const { ts, cost_equiv } of own)
        if (cost_equiv > 0 && startOf(ts) >= since)
          sums.set(startOf(ts), (sums.get(startOf(ts)) ?? 0) + cost_equiv);
      const counted = rows
        .filter(({ budget, spent }) => Number(budget) === id && Number(spent) > 0)
        .map(({ start, spent }) => [start, Number(Number(spent).toFixed(6))]);
      expect(new Map(counted as [string, number][])).toEqual(
        new Map([...sums].map(([start, sum]) => [start, Number(sum.toFixed(6))])),
      );
      const told = notices
        .filter(({ summary }) => summary.includes(`'${name.replace("dana", "one person")}'`))
        .map(({ ts, summary }) => {
          const [, spent = "", all = ""] = /\$([\d.,]+) of \$([\d.,]+)$/.exec(summary) ?? [];
          return `${startOf(toMicros(ts))} ${thresholdOf(Number(spent), Number(all))}`;
        });
      expect(told).toEqual(
        [...new Set(told)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })),
      );
      const current = rows.find(
        ({ budget, start }) => Number(budget) === id && start === startOf(app.clock.now()),
      );
      if (current) expect(Number(current.notified)).toBe(thresholdOf(Number(current.spent), amount));
      expect(told.length).toBeGreaterThan(0);
    }
  });
});
