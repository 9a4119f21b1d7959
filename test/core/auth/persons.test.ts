/** Whose work it is: events, runs and usage carry the person and the team, and nothing leaks who is hidden. */
import { describe, expect, test } from "bun:test";
import { httpOperations, toolOperations } from "../../../src/api/operations/index.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { UsageReport } from "../../../src/feed/usage/schema.ts";
import { pageNames } from "../../../src/web/routes.ts";
import { toolCall } from "../../support/agents/mcp-clients.ts";
import { signIn } from "../../support/browser/site.ts";
import { dialects, expectConsistent, link, must, openApp, type TestApp } from "../../support/harness.ts";
import { documents } from "../../support/http/public-documents.ts";
import { openScopeMatrix } from "../../support/http/scope-callers.ts";
import { pathFor, requests, toolArguments } from "../../support/http/scope-requests.ts";

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
    await expectConsistent(app.ctx.data);
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

test("with SVC_HIDE_PERSONS no page, answer, tool, stream or document names a person, except to admins", async () => {
  const { library, shared } = await openScopeMatrix("sqlite", "disk");
  await using _ = library;
  Object.assign(library.ctx.config, { hidePersons: true });
  await addPerson(library, "zelda", "maps");
  const writer = await library.mint(allScopes, { owner: "zelda", projects: ["atlas"] });
  const token = await library.mint(allScopes.filter((scope) => scope !== "budgets:write"));
  const admin = await library.mint(allScopes, { name: "lead" });
  const run_id = await shared.run();
  const events = [step(run_id, 1), { ...step("zq", 2), kind: "run.failed", dedupe_key: "zq" }];
  await library.ask("/api/v1/events", { token: writer, json: { events } });
  const leaks: string[] = [];
  const names = /zelda/i;
  const check = async (what: string, response: Response) => {
    if (names.test(await response.text())) leaks.push(what);
  };
  for (const { id, writes, http } of httpOperations) {
    if (writes || http.stream || id === "waitForReview") continue;
    const { path, ...init } = await must(requests[id])(shared);
    await check(id, await library.ask(`/api/v1${path}`, { ...init, token }));
  }
  for (const by of ["person", "team", "actor", "run", "task"])
    await check(`usage by ${by}`, await library.ask(`/api/v1/usage?by=${by}`, { token }));
  const csv = { token, headers: { accept: "text/csv" } };
  await check("usage as CSV", await library.ask("/api/v1/usage?by=person", csv));
  for (const { tool, writes } of toolOperations) {
    if (writes) continue;
    const args = await must(toolArguments[tool.name])(shared);
    await check(tool.name, await library.ask("/mcp", { ...toolCall("modern", tool.name, args), token }));
  }
  const { cookie } = await signIn(library, token);
  const headers = { cookie, accept: "text/html" };
  for (const path of [...Object.keys(pageNames), "/usage?by=person", "/usage.csv?by=person"])
    await check(path, await library.ask(await pathFor(path, shared), { headers }));
  for (const [path] of documents) await check(path, await library.ask(path));
  expect(leaks).toEqual([]);
  const stream = async (reader: string) => {
    const abort = new AbortController();
    const path = "/api/v1/feed/stream?after=2020-01-01T00:00:00Z";
    const response = await library.ask(path, { token: reader, signal: abort.signal });
    const frames = must(response.body).getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes('"run_id":"zq"')) text += decoder.decode((await frames.read()).value);
    abort.abort();
    await frames.cancel().catch(() => {});
    return text;
  };
  expect(await stream(token)).not.toMatch(names);
  expect(await stream(admin)).toMatch(names);
  expect(await (await library.ask("/api/v1/feed", { token: admin })).text()).toMatch(names);
  expect(await (await library.ask("/api/v1/runs", { token: admin })).text()).toMatch(names);
});
