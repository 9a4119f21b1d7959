/** What budgets have spent, by two nodes on one database: counted once, and each threshold told once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { setBudget } from "../../../src/feed/budgets/budgets.ts";
import type { BudgetInput } from "../../../src/feed/budgets/schema.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { dialects, event, link, openApp, rowsOf, type TestApp } from "../../support/harness.ts";

const step = (fields: Partial<Appendable>): Appendable =>
  event({ kind: "step.usage", project: "atlas", summary: "A step", ...fields });

const noticesOf = async (data: Data) =>
  (await data.feed(null, { kind: "budget.reached", order: "oldest first", limit: 1000 })).map(
    ({ wire }) => JSON.parse(wire) as { ts: string; summary: string; project: string | null },
  );

/** What a budget has spent in each of its periods. */
const spentOf = async (url: string, id: number) =>
  (await rowsOf(url, `select spent from budget_periods where budget = ${id} order by start`)).map(
    ({ spent }) => spent,
  );

describe.each(dialects)("the budgets of two nodes on %s", (dialect) => {
  let app: TestApp;
  let other: Data;

  beforeAll(async () => {
    app = await openApp(dialect);
    other = await openData(app.url, { now: app.clock.now, log() {}, connections: 2 });
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
  });
  afterAll(async () => {
    await other.close();
    await app.close();
  });

  const set = (input: BudgetInput) => setBudget(app.ctx, input, adminCaller);
  const remove = (id: number) => app.ctx.data.atomically((writes) => writes.removeBudget(id));
  const summaries = async (name: string) =>
    (await noticesOf(app.ctx.data))
      .map(({ summary }) => summary)
      .filter((summary) => summary.includes(`'${name}'`));

  test("tell one notice, the highest, of an event that jumps over several thresholds", async () => {
    const { id } = await set({ project: "atlas", lane: "lane_a", period: "month", amount: 10 });
    await other.append([step({ lane: "lane_a", cost_equiv: 4 })]);
    expect(await summaries("atlas, lane_a, month")).toEqual([]);
    await app.ctx.data.append([step({ lane: "lane_a", cost_equiv: 7 })]);
    await other.append([step({ lane: "lane_a", cost_equiv: 7 })]);
    expect(await summaries("atlas, lane_a, month")).toEqual([
      "Budget 'atlas, lane_a, month' is spent: $11 of $10",
    ]);
    await remove(id);
  });

  test("tell each threshold once when both append at the same time", async () => {
    const { id } = await set({ project: "atlas", lane: "lane_b", period: "day", amount: 100 });
    const appends = Array.from({ length: 30 }, (_, at) =>
      (at % 2 === 0 ? other : app.ctx.data).append([step({ lane: "lane_b", cost_equiv: 4 })]),
    );
    await Promise.all(appends);
    // Appends that wait together are one transaction, which tells the highest threshold that it reaches.
    const told = (await summaries("atlas, lane_b, day")).map((text) => /is (spent|at \d)/.exec(text)?.[1]);
    expect(told.length).toBe(new Set(told).size);
    expect(told.at(-1)).toBe("spent");
    expect(await spentOf(app.url, id)).toEqual([120]);
    await remove(id);
  });

  test("are evaluated again when their amount changes, and start with what the period has cost", async () => {
    await app.ctx.data.append([step({ model: "glm-5", cost_equiv: 60 })]);
    const first = await set({ model: "glm-5", period: "week", amount: 100 });
    expect([first.spent, first.percent, first.changed]).toEqual([60, 60, true]);
    await set({ model: "glm-5", period: "week", amount: 200 });
    await app.ctx.data.append([step({ model: "glm-5", cost_equiv: 50 })]);
    await set({ model: "glm-5", period: "week", amount: 60 });
    const same = await set({ model: "glm-5", period: "week", amount: 60 });
    expect([same.id, same.changed]).toEqual([first.id, false]);
    expect(await summaries("glm-5, week")).toEqual([
      "Budget 'glm-5, week' is at 60%: $60 of $100",
      "Budget 'glm-5, week' is at 55%: $110 of $200",
      "Budget 'glm-5, week' is spent: $110 of $60",
    ]);
    await remove(first.id);
  });

  test("count nothing of an append that was rolled back", async () => {
    const { id } = await set({ period: "day", amount: 1_000_000 });
    const before = await spentOf(app.url, id);
    const append = app.ctx.data.atomically(async (writes) => {
      await writes.append([step({ cost_equiv: 9 })]);
      throw new Error("rolled back");
    });
    await expect(append).rejects.toThrow("rolled back");
    expect(await spentOf(app.url, id)).toEqual(before);
    await remove(id);
  });

  test("are those of the database after a change that was rolled back", async () => {
    const row = {
      project: null,
      team: null,
      person: null,
      lane: null,
      period: "day",
      amount: 50,
      since: "2026-03-01",
    } as const;
    const change = app.ctx.data.atomically(async (writes) => {
      await writes.addBudget({ ...row, model: "gone", changed_by: "human:zoe", changed_at: 1 });
      await writes.append([step({ model: "gone", cost_equiv: 1 })]);
      throw new Error("rolled back");
    });
    await expect(change).rejects.toThrow("rolled back");
    const { id } = await set({ model: "kept", period: "day", amount: 50 });
    await app.ctx.data.append([step({ model: "kept", cost_equiv: 2 })]);
    await other.append([step({ model: "kept", cost_equiv: 2 })]);
    expect(await spentOf(app.url, id)).toEqual([4]);
    await remove(id);
  });
});
