/** Budgets over HTTP, and what a token of one project sees of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Budget, BudgetCheck, BudgetList, BudgetSet } from "../../../src/feed/budgets/schema.ts";
import { budgetsMax } from "../../../src/feed/budgets/schema.ts";
import {
  dialects,
  event,
  link,
  openApp,
  program,
  type TestApp,
  writeInBatches,
} from "../../support/harness.ts";

describe.each(dialects)("budgets on %s", (dialect) => {
  let app: TestApp;
  let admin: string;
  let limited: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
    admin = await app.mint(["feed:read", "budgets:write"]);
    limited = await app.mint(["feed:read", "budgets:write"], { projects: ["atlas"] });
  });
  afterAll(() => app.close());

  const put = (json: object, token = admin) => app.ask("/api/v1/budgets", { method: "PUT", json, token });
  const get = async <T>(path: string, token = admin): Promise<T> =>
    (await (await app.ask(`/api/v1/budgets${path}`, { token })).json()) as T;
  const spend = (cost_equiv: number, fields: object = {}) =>
    app.ctx.data.append([event({ kind: "step.usage", project: "atlas", cost_equiv, ...fields })]);

  test("are set, checked, listed with what is left, changed and removed", async () => {
    const set = (await (await put({ project: "atlas", period: "month", amount: 200 })).json()) as BudgetSet;
    expect([set.name, set.start, set.end, set.spent]).toEqual([
      "atlas, month",
      "2026-03-01",
      "2026-03-31",
      0,
    ]);
    await spend(160.2);
    expect(await get<BudgetCheck>("/check?project=atlas")).toMatchObject({
      ...{ exhausted: false, count: 1 },
      budgets: [{ name: "atlas, month", spent: 160.2, left: 39.8, percent: 80 }],
    });
    await put({ project: "atlas", period: "month", amount: 160 });
    expect(await get<BudgetCheck>("/check?project=atlas")).toMatchObject({ exhausted: true });
    expect(await get<BudgetCheck>("/check?project=borealis")).toEqual({
      ...{ exhausted: false, budgets: [], count: 0 },
    });
    expect((await get<BudgetList>("")).budgets).toMatchObject([{ amount: 160, left: 0, forecast: null }]);
    const remove = () => app.ask(`/api/v1/budgets/${set.id}/remove`, { json: {}, token: admin });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 404]);
    expect((await get<BudgetList>("")).count).toBe(0);
  });

  test("have a forecast once four of the last seven days cost something", async () => {
    const dayAgo = (days: number) => app.clock.now() - days * 86_400_000_000;
    for (const days of [1, 2, 3, 4]) await spend(8, { ts: dayAgo(days), model: "m" });
    await put({ model: "m", period: "day", amount: 10 });
    const [budget] = (await get<BudgetList>("?model=m")).budgets;
    expect(budget).toMatchObject({ spent: 0, forecast: 4 });
    await app.ask(`/api/v1/budgets/${(budget as Budget).id}/remove`, { json: {}, token: admin });
  });

  test("of other projects, and of all work, are hidden from a token of one project", async () => {
    for (const project of ["atlas", "borealis", undefined])
      await put({ ...(project && { project }), period: "week", amount: 5 });
    const names = async (token: string, query = "") =>
      (await get<BudgetList>(query, token)).budgets.map(({ name }) => name);
    expect(await names(admin)).toEqual(["atlas, week", "borealis, week", "everything, week"]);
    expect(await names(admin, "?project=atlas")).toEqual(["atlas, week", "everything, week"]);
    expect(await names(limited)).toEqual(["atlas, week"]);
    expect((await get<BudgetCheck>("/check", limited)).count).toBe(1);
    const ids = (await get<BudgetList>("")).budgets.map(({ id }) => id);
    const removals = await Promise.all(
      ids.map((id) => app.ask(`/api/v1/budgets/${id}/remove`, { json: {}, token: limited })),
    );
    expect(removals.map(({ status }) => status)).toEqual([200, 404, 404]);
    expect((await put({ period: "week", amount: 9 }, limited)).status).toBe(400);
    expect((await put({ project: "borealis", period: "week", amount: 9 }, limited)).status).toBe(404);
    for (const id of ids.slice(1)) await app.ask(`/api/v1/budgets/${id}/remove`, { json: {}, token: admin });
  });

  test("that cannot be are refused with what to do, and an unknown lane is no open gate", async () => {
    const wrong = { project: "atlas", period: "month", amount: 10 };
    for (const change of [{ amount: 0 }, { period: "year" }, { lane: "nowhere" }])
      expect([change, (await put({ ...wrong, ...change })).status]).toEqual([change, 400]);
    expect((await app.ask("/api/v1/budgets/check?lane=nowhere", { token: admin })).status).toBe(400);
    const reader = await app.mint(["feed:read"]);
    expect((await put(wrong, reader)).status).toBe(403);
  });

  test("count the work of a person or a team, and a check asks about the caller's own", async () => {
    const dana = { id: "dana", name: null, team: "maps", created_at: 1, removed_at: null };
    await app.ctx.data.atomically((writes) => writes.savePerson(dana));
    const own = await app.mint(["feed:read"], { name: "dana-laptop", owner: "dana" });
    await app.mint(["feed:read"], { name: "tools-ci", team: "tools" });
    const month = { period: "month", amount: 10 };
    await spend(4, { person: "dana", team: "maps" });
    for (const scope of [{ person: "dana" }, { project: "borealis", team: "maps" }, { team: "tools" }])
      expect([scope, (await put({ ...month, ...scope })).status]).toEqual([scope, 200]);
    await spend(2, { project: "borealis", person: "dana", team: "maps" });
    await spend(11, { team: "tools" });
    const spent = async (path: string, token = admin) =>
      (await get<BudgetCheck>(path, token)).budgets.map(({ name, spent }) => [name, spent]);
    const ofDana = ["dana, month", 6];
    const ofMaps = ["borealis, team maps, month", 2];
    expect(await spent("")).toEqual([ofMaps, ofDana, ["team tools, month", 11]]);
    expect(await spent("/check", own)).toEqual([ofDana, ofMaps]);
    expect(await spent("?team=tools&person=kim")).toEqual([["team tools, month", 11]]);
    const [last] = await app.ctx.data.feed(null, { kind: "budget.reached", limit: 1 });
    expect(JSON.parse(last?.wire ?? "")).toMatchObject({
      ...{ team: "tools", summary: "Budget 'team tools, month' is spent: $11 of $10" },
    });
    for (const [scope, status] of [
      [{ person: "dana", lane: "lane_a" }, 400],
      [{ person: "nobody" }, 404],
      [{ team: "nobody" }, 404],
    ] as const)
      expect([scope, (await put({ ...month, ...scope })).status]).toEqual([scope, status]);
    for (const { id } of (await get<BudgetList>("")).budgets)
      await app.ask(`/api/v1/budgets/${id}/remove`, { json: {}, token: admin });
  });

  test("are a gate on the command line of a server", async () => {
    const env = { SVC_URL: app.listen(), SVC_TOKEN: admin };
    const svc = (...args: string[]) => program(["budget", ...args], env);
    await svc("set", "20", "--lane", "lane_b", "--period", "day");
    expect(await svc("check", "--lane", "lane_b")).toMatchObject({ code: 0 });
    await spend(30, { lane: "lane_b" });
    expect(await svc("check", "--lane", "lane_b")).toMatchObject({
      ...{ code: 1, output: "Budget 'lane_b, day' is spent: $30 of $20 (150%).\n", errors: "" },
    });
    expect(await svc("check", "--lane", "lane_a")).toMatchObject({ code: 0, output: "No budget applies.\n" });
  });
});

test("there are at most a hundred budgets: the last one is set, and one more is a 409", async () => {
  await using app = await openApp("sqlite");
  const unset = { project: null, team: null, person: null, lane: null };
  const change = { changed_by: "human:mara", changed_at: app.clock.now() };
  await writeInBatches(app.ctx.data, budgetsMax - 1, (writes, index) =>
    writes.addBudget({
      ...unset,
      ...{ model: `m${index}`, period: "month", amount: 1, since: "2026-03-01" },
      ...change,
    }),
  );
  const token = await app.mint(["feed:read", "budgets:write"]);
  const statusOf = async (model: string) =>
    (await app.ask("/api/v1/budgets", { method: "PUT", json: { model, period: "month", amount: 1 }, token }))
      .status;
  expect([await statusOf("last"), await statusOf("more"), await statusOf("last")]).toEqual([200, 409, 200]);
});
