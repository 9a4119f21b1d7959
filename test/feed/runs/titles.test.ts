/** What a run is called: by its task, its branch, or what it made, and never by what an agent wrote. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { dialects, link, openApp, type TestApp } from "../../support/harness.ts";

describe.each(dialects)("a run on %s is called", (dialect) => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
    token = await app.mint(["feed:read", "feed:write", "memory:write"], { name: "runner" });
  });
  afterAll(() => app.close());

  const report = async (...events: object[]) => {
    const common = { actor: "agent:codex", project: "atlas", kind: "step.usage", summary: "Draw a whale" };
    const json = { events: events.map((event) => ({ ...common, ...event })) };
    expect((await app.ask("/api/v1/events", { json, token })).status).toBe(200);
  };
  const run = async (id: string): Promise<RunDetail> =>
    (await (await app.ask(`/api/v1/runs/${id}?project=atlas`, { token })).json()) as RunDetail;
  const titleOf = async (id: string) => (await run(id)).title;

  test("by the title of its issue, else of its pull request, in its own project, also of a later opening", async () => {
    await report({ run_id: "of-issue", issue: 12, pr: 34 }, { run_id: "of-pr", pr: 34 });
    await report(
      { kind: "issue.opened", issue: 12, project: "borealis", summary: "Issue #12 opened: Aurora" },
      { kind: "issue.opened", issue: 12, summary: "Issue #12 opened: Coast" },
      { kind: "pr.opened", pr: 34, summary: "PR #34 opened: Draw the berths" },
    );
    expect([await titleOf("of-issue"), await titleOf("of-pr")]).toEqual(["Coast", "Draw the berths"]);
    await report({ kind: "issue.opened", issue: 12, summary: "Issue #12 reopened: Draw the coast" });
    expect(await run("of-issue")).toMatchObject({ title: "Draw the coast", summary: "Draw a whale" });
  });

  test("by its newest branch, else by what it made, and never by the summary of an agent", async () => {
    await report({ kind: "run.started", run_id: "session" });
    expect(await titleOf("session")).toBe("Run of codex");
    const json = { project: "atlas", text: "Whales are blue" };
    expect((await app.ask("/api/v1/decisions", { json, token })).status).toBe(200);
    expect(await titleOf("session")).toBe("1 decision by codex");
    await report({ run_id: "session", branch: "main" }, { run_id: "session", branch: "fix/whales" });
    await report({ kind: "run.finished", run_id: "session", summary: "Claude Code session ended (other)" });
    expect(await run("session")).toMatchObject({
      ...{ title: "fix/whales", summary: "Claude Code session ended (other)" },
    });
    expect((await app.ctx.data.findInconsistencies()).filter(({ kind }) => kind === "runs")).toEqual([]);
  });

  test("by its summary if a person's command or a pipeline wrote it", async () => {
    await report({ actor: "human:ana", run_id: "command", summary: "make test finished" });
    expect(await titleOf("command")).toBe("make test finished");
    await report({ actor: "runner:ci", run_id: "pipeline", summary: "CI #7 on main: success" });
    expect(await titleOf("pipeline")).toBe("CI #7 on main: success");
  });
});
