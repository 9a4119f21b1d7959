/** Whose work it is: events, runs and usage carry the person and the team. */
import { describe, expect, test } from "bun:test";
import { adminCaller, type Caller } from "../../../src/core/auth/caller.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import type { UsageReport } from "../../../src/feed/usage/schema.ts";
import { loadContent } from "../../../src/integrations/email/content.ts";
import { spendText } from "../../../src/integrations/email/words.ts";
import { dialects, expectConsistent, link, openApp, type TestApp } from "../../support/harness.ts";

const addPerson = ({ ctx, clock }: Pick<TestApp, "ctx" | "clock">, id: string, team: string) =>
  ctx.data.atomically((writes) =>
    writes.savePerson({ id, name: "Zelda Quill", team, created_at: clock.now(), removed_at: null }),
  );

const step = (run_id: string, cost_equiv: number) => ({
  ...{ kind: "step.usage", actor: "agent:codex", summary: "Step", project: "atlas", issue: 7 },
  ...{ run_id, cost_equiv, tokens_in: 10 },
});

const report = async (app: TestApp, by: string, token: string) =>
  (await (await app.ask(`/api/v1/usage?by=${by}`, { token })).json()) as UsageReport;

const costs = ({ rows, by }: UsageReport) =>
  Object.fromEntries(rows.map((row) => [String(row[by as "person" | "team"]), row.cost_equiv]));

describe.each(dialects)("on %s", (dialect) => {
  test("events and runs carry the owner of their token, and usage is the same in each grouping", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await addPerson(app, "zelda", "maps");
    const admin = await app.mint(allScopes, { name: "admin" });
    const own = await app.mint(["feed:read", "feed:write"], { name: "one", owner: "zelda" });
    const lent = await app.mint(["feed:write"], { name: "two", owner: "zelda", team: "data" });
    const shared = await app.mint(["feed:write"], { name: "three" });
    const post = (token: string, ...events: object[]) =>
      app.ask("/api/v1/events", { token, json: { events } });
    await post(own, step("a", 0.1), step("a", 0.2));
    await post(lent, step("b", 0.7));
    await post(shared, step("c", 1.05));
    const { events } = (await (await app.ask("/api/v1/feed", { token: admin })).json()) as {
      events: object[];
    };
    expect(events.slice(0, 3)).toMatchObject([
      ...[{ run_id: "c" }, { team: "data", person: "zelda" }, { team: "maps", person: "zelda" }],
    ]);
    expect(events[0]).not.toContainAnyKeys(["team", "person"]);
    const { runs } = (await (await app.ask("/api/v1/runs", { token: admin })).json()) as { runs: object[] };
    expect(runs).toMatchObject([
      { id: "c", person: null, team: null },
      { id: "b", person: "zelda", team: "data" },
      { id: "a", person: "zelda", team: "maps" },
    ]);
    const byProject = await report(app, "project", admin);
    const byPerson = await report(app, "person", admin);
    const byTeam = await report(app, "team", admin);
    expect(costs(byPerson)).toEqual({ null: 1.05, zelda: 1 });
    expect(costs(byTeam)).toEqual({ null: 1.05, data: 0.7, maps: 0.3 });
    expect([byPerson.total, byTeam.total]).toEqual([byProject.total, byProject.total]);
    const until = app.clock.now() + dayMicros;
    const period = { project: null, period: "daily", from: 0, to: until } as const;
    const spendOf = async (owner: Caller) => spendText((await loadContent(app.ctx, owner, period)).spend);
    const all = "$2.05 on the last full day (UTC), $0.00 the day before";
    expect(await spendOf(adminCaller)).toBe(`${all}. data $0.70, maps $0.30`);
    expect(await spendOf({ ...adminCaller, person: "zelda" })).toBe(
      `${all}, $1.00 yours. data $0.70, maps $0.30`,
    );
    await expectConsistent(app.ctx.data);
  });

  test("lists are filtered by team and person, and usage of one leads to exactly its rows", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await addPerson(app, "zelda", "maps");
    await addPerson(app, "yuri", "maps");
    const admin = await app.mint(allScopes, { name: "admin" });
    const work = [
      ["zelda", "maps", "a", 1],
      ["zelda", "data", "b", 2],
      ["yuri", "maps", "c", 4],
      [undefined, undefined, "d", 8],
    ] as const;
    for (const [index, [owner, team, run_id, cost]] of work.entries()) {
      const token = await app.mint(["feed:write"], { ...(owner && { owner }), ...(team && { team }) });
      const events = [{ ...step(run_id, cost), issue: index + 1 }];
      expect((await app.ask("/api/v1/events", { token, json: { events } })).status).toBe(200);
    }
    const ask = async (path: string) => (await app.ask(`/api/v1${path}`, { token: admin })).json();
    const found = async (query: string) => {
      const { events } = (await ask(`/feed?${query}`)) as { events: { run_id: string }[] };
      const { runs } = (await ask(`/runs?${query}`)) as { runs: { id: string }[] };
      const { tasks } = (await ask(`/tasks?${query}`)) as { tasks: { issue: number }[] };
      const usage = (await ask(`/usage?by=run&${query}`)) as UsageReport;
      const ids = tasks.map(({ issue }) => "abcd"[issue - 1] as string);
      const lists = [events.map(({ run_id }) => run_id), runs.map(({ id }) => id), ids];
      expect(usage.rows.map((row) => row.run_id as string).toSorted()).toEqual(ids.toSorted());
      expect(lists.map((list) => list.toSorted())).toEqual(lists.map(() => ids.toSorted()));
      return [ids.toSorted().join(""), usage.total.cost_equiv];
    };
    expect(await found("team=maps")).toEqual(["ac", 5]);
    expect(await found("person=zelda")).toEqual(["ab", 3]);
    expect(await found("person=zelda&team=maps&project=atlas")).toEqual(["a", 1]);
    expect(await found("person=none")).toEqual(["", 0]);
    const by = async (query: string) => costs((await ask(`/usage?${query}`)) as UsageReport);
    expect(await by("by=person&team=maps")).toEqual({ zelda: 1, yuri: 4 });
    expect(await by("by=team&person=zelda&interval=day")).toEqual({ maps: 1, data: 2 });
    const refused = await app.ask("/api/v1/usage?by=model&team=maps", { token: admin });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("by must be one of project, team, person, run for the usage of a team"),
    ]);
  });

  test("with SVC_HIDE_PERSONS each person sees their own usage, and the sum of all others", async () => {
    await using app = await openApp(dialect, { SVC_HIDE_PERSONS: "1" });
    await link(app.ctx.data, "atlas");
    for (const id of ["zelda", "yuri"]) await addPerson(app, id, "maps");
    for (const [owner, cost] of [
      ["zelda", 2],
      ["yuri", 3],
    ] as const) {
      const token = await app.mint(["feed:write"], { owner });
      await app.ask("/api/v1/events", { token, json: { events: [step(owner, cost)] } });
    }
    const reader = await app.mint(["feed:read"], { owner: "yuri" });
    const other = await app.mint(["feed:read"]);
    const admin = await app.mint(allScopes);
    expect(costs(await report(app, "person", reader))).toEqual({ yuri: 3, null: 2 });
    expect(costs(await report(app, "person", other))).toEqual({ null: 5 });
    expect(costs(await report(app, "person", admin))).toEqual({ yuri: 3, zelda: 2 });
    expect(costs(await report(app, "team", other))).toEqual({ maps: 5 });
  });
});
