/** What a lead reads in the morning: cost by team and by merged pull request, to the cent, with persons hidden too. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { UsageReport, UsageReportRow } from "../../../src/feed/usage/schema.ts";
import { sumOf } from "../../../src/feed/usage/sums.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { signIn } from "../../support/browser/site.ts";
import { dialects, expectConsistent, link, must, openApp } from "../../support/harness.ts";
import { makeMonth } from "../../support/made-month.ts";

const cents = (micros: number): string => (micros / 1e6).toFixed(2);

const expected = (sums: ReadonlyMap<unknown, number>) =>
  Object.fromEntries([...sums].map(([key, micros]) => [String(key), cents(micros)]));

const costs = ({ rows }: UsageReport, keyOf: (row: UsageReportRow) => unknown) =>
  Object.fromEntries(rows.map((row) => [String(keyOf(row)), row.cost_equiv.toFixed(2)]));

describe.each(dialects)("on %s", (dialect) => {
  test("usage of a month is the sum of its events, two clicks from Today, also with persons hidden", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const size = { people: 9, teams: 3, sessionsPerDay: 6, days: 30, steps: 4 };
    const sums = await makeMonth(app.ctx.data, app.clock.now(), size);
    const admin = await app.mint(allScopes, { name: "lead" });
    const reader = await app.mint(["feed:read"], { owner: "person-3" });
    const at = async <T>(path: string, token: string) => (await (await app.ask(path, { token })).json()) as T;
    const report = (by: string, token: string) => at<UsageReport>(`/api/v1/usage?by=${by}&limit=200`, token);
    const [byTeam, byTask] = [await report("team", admin), await report("task", admin)];
    expect(costs(byTeam, ({ team }) => team)).toEqual(expected(sums.byTeam));
    expect(costs(await report("person", admin), ({ person }) => person)).toEqual(expected(sums.byPerson));
    expect(costs(byTask, ({ pr }) => pr)).toEqual(expected(sums.byPullRequest));
    const merged = byTask.rows.flatMap(({ merges, pr }) => (merges > 0 ? [must(pr)] : []));
    expect(merged.toSorted((a, b) => a - b)).toEqual(sums.merged);
    expect(byTeam.total.cost_equiv.toFixed(2)).toBe(cents(sums.total));
    const { cookie } = await signIn(app, admin);
    const headers = { cookie, accept: "text/html" };
    const page = async (path: string) => (await app.ask(path, { headers })).text();
    const [, ofTeam] = /href="(\/usage\?[^"]*team=[^"]*)"/.exec(await page("/")) ?? [];
    expect(await page("/")).toMatch(/href="\/usage\?from=[^"]*"[\s\S]*href="\/usage\?[^"]*by=team"/);
    const { teams } = (await at<Today>("/api/v1/today", admin)).spend;
    expect(await page(must(ofTeam).replaceAll("&amp;", "&"))).toContain(
      `$${must(teams[0]).cost_equiv.toFixed(2)}`,
    );
    expect(await page("/usage")).toContain('href="/usage?by=task"');
    expect(await page("/usage")).toContain("Most expensive teams");
    const shown = await page("/usage?by=team");
    for (const [team, micros] of sums.byTeam) {
      expect(shown).toContain(`$${cents(micros)}`);
      expect(shown).toContain(`href="/usage?by=run&amp;team=${team}"`);
      const ofRuns = await at<UsageReport>(`/api/v1/usage?by=run&team=${team}&limit=200`, admin);
      expect(ofRuns.total.cost_equiv.toFixed(2)).toBe(cents(micros));
      expect(sumOf(ofRuns.rows).cost_equiv.toFixed(2)).toBe(cents(micros));
      expect(await page(`/usage?by=run&team=${team}`)).toContain(`$${cents(micros)}`);
    }
    expect((await at<Today>("/api/v1/today", admin)).spend.teams.length).toBeGreaterThan(0);
    expect((await at<Today>("/api/v1/today", reader)).spend.own).toBeNumber();
    Object.assign(app.ctx.config, { hidePersons: true });
    expect((await report("team", reader)).rows).toEqual(byTeam.rows);
    expect((await report("task", reader)).rows).toEqual(byTask.rows);
    const own = must(sums.byPerson.get("person-3"));
    expect(costs(await report("person", reader), ({ person }) => person)).toEqual({
      "person-3": cents(own),
      null: cents(sums.total - own),
    });
    await expectConsistent(app.ctx.data);
  });
});
