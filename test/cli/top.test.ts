/** svc top: what it counts, that it fits the terminal, and that it leaves the terminal as it was. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "../../cli/client/client.ts";
import { drawTop, type TopView } from "../../cli/top/screen.ts";
import { applyEvent, loadTop, type TopState } from "../../cli/top/state.ts";
import { useLinkedServer } from "../support/agents/linked-server.ts";
import { runInTerminal } from "../support/agents/pseudo-terminal.ts";
import { event, link, openApp, program, programToken, type TestApp, until } from "../support/harness.ts";

describe("svc top counts", () => {
  let app: TestApp;
  let nowMs: number;
  const load = async (scopes: Parameters<TestApp["mint"]>[0]) => {
    const token = await app.mint(scopes);
    const api = connect({
      url: "http://svc.test",
      token,
      fetch: async (request) =>
        app.ask(new URL(request.url).pathname + new URL(request.url).search, { token }),
    });
    return loadTop({ api }, nowMs);
  };
  const append = (
    kind: "run.started" | "run.finished" | "run.failed" | "preview.failed",
    actor: string,
    cost = 0,
  ) => {
    app.clock.advance(1_000_000);
    return app.ctx.data.append([
      event({
        kind,
        actor: `agent:${actor}`,
        ...(actor === "five" && { run_id: "run-five" }),
        project: "atlas",
        summary: `${kind} ${actor}`,
        cost_equiv: cost,
      }),
    ]);
  };
  beforeAll(async () => {
    app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    await append("run.started", "one");
    await append("run.started", "two");
    await append("run.finished", "one", 0.25);
    await append("run.started", "three");
    await append("run.failed", "three", 0.5);
    await append("preview.failed", "four");
    await append("run.started", "five");
    await append("run.failed", "five", 0);
    await append("run.started", "five");
    await append("run.finished", "five");
    nowMs = app.clock.now() / 1_000;
  });
  afterAll(() => app.close());

  test("runs that have not ended, failures that were not repaired, and what was spent today", async () => {
    const state = await load(["feed:read", "assets:read"]);
    expect(state.needs.counts).toEqual({ agents: 0, requested: 0, waiting: 0, broken: 2, answered: 0 });
    expect(state.runs.map(({ summary }) => summary)).toEqual(["run.started two"]);
    expect(state.needs.items.map(({ title }) => title)).toEqual(["preview.failed four", "run.failed three"]);
    expect([state.spentToday, state.canReadAssets]).toEqual([0.75, true]);
  });

  test("no reviews without the scope assets:read, and says so", async () => {
    const state = await load(["feed:read"]);
    expect(state.canReadAssets).toBe(false);
    expect(drawTop(state, options).join("\n")).toContain("This token lacks the scope assets:read.");
  });

  test("events as they arrive, each once, and loads again what the service keeps", async () => {
    const state = await load(["feed:read"]);
    const ts = "2026-03-01T13:00:00.000000Z";
    const step = { ...row, kind: "step.usage", ts, cost_equiv: 1 };
    const after = applyEvent(state, step, nowMs) as TopState;
    expect([after.runs.length, after.spentToday]).toEqual([1, 1.75]);
    expect(applyEvent(after, step, nowMs)).toBe(after);
    const later = { ...step, ts: "2026-03-01T13:00:01.000000Z" };
    for (const kind of ["run.started", "run.finished", "run.failed", "preview.failed", "asset.reviewed"])
      expect(applyEvent(after, { ...later, kind }, nowMs)).toBeNull();
  });
});

const options = {
  ...{ view: "all" as TopView, width: 80, height: 24, nowMs: 0, place: "in svc.db", problem: null },
  isColored: false,
};
const row = {
  ...{
    id: 1,
    ts: "1970-01-01T00:00:00Z",
    kind: "run.started",
    actor: "agent:a",
    summary: "日本語 ".repeat(40),
  },
  ...{ project: "atlas", issue: 12 },
  started_at: "1970-01-01T00:00:00Z",
} as TopState["runs"][number] & Parameters<typeof applyEvent>[1];
const item = {
  id: "run-1",
  reason: "run_failed",
  group: "broken",
  title: row.summary,
  detail: null,
  action: "See what failed",
  url: "http://svc.test/",
  project: "atlas",
  at: row.ts,
  due_at: null,
  times: 1,
  issue: null,
  pr: null,
  asset: null,
  thumb_url: null,
  until: null,
};
const crowded: TopState = {
  needs: {
    count: 50,
    counts: { agents: 0, requested: 0, waiting: 0, broken: 50, answered: 0 },
    items: Array(50).fill(item),
    snoozed: 0,
    done: 0,
    repaired: 0,
  },
  runs: Array(50).fill(row),
  spentToday: 1,
  canReadAssets: false,
  day: "1970-01-01",
  head: row.ts,
};

test.each([
  [80, 24],
  [60, 24],
  [40, 12],
  [200, 60],
  [20, 5],
])("the screen has exactly the size of a terminal of %d columns and %d lines", (width, height) => {
  for (const view of ["all", "runs", "reviews", "failures"] as const) {
    const lines = drawTop(crowded, { ...options, view, width, height });
    expect(lines).toHaveLength(height);
    for (const line of lines) expect([line, Bun.stringWidth(line) <= width]).toEqual([line, true]);
  }
});

test("control characters of a summary do not reach the terminal", () => {
  const lines = drawTop({ ...crowded, runs: [{ ...row, summary: "\x1b[2Jgone\nnext" }] }, options);
  expect(lines.join("")).not.toContain("\x1b");
});

describe("in a terminal", () => {
  const linked = useLinkedServer();
  const remote = () => ({ SVC_URL: linked.server.origin, SVC_TOKEN: programToken });
  const local = () => ({ SVC_DATABASE_URL: linked.database.url, SVC_DATA_DIR: linked.folder.path });
  const leave = "\x1b[?25h\x1b[?1049l";

  test.each([
    ["a server", remote],
    ["a local database", local],
  ])("svc top on %s shows a new run without a key, resizes, and q restores the terminal", async (_, env) => {
    await using top = runInTerminal(["top"], env());
    await until(() => top.output().includes("q quit"), "the dashboard is drawn");
    const summary = `Run ${crypto.randomUUID().slice(0, 8)}`;
    const fields = ["--kind", "run.started", "--actor", `agent:${summary.slice(4)}`, "--project", "atlas"];
    await program(["event", "add", ...fields, "--summary", summary], local());
    await until(() => top.output().includes(summary), "the new run is shown");
    top.resize(60, 20);
    const before = top.output().length;
    await until(() => top.output().slice(before).includes("q quit"), "the dashboard is drawn again");
    top.type("q");
    expect(await top.ended).toBe(0);
    expect(top.output()).toEndWith(leave);
  });

  test("svc top restores the terminal when a signal ends it", async () => {
    await using top = runInTerminal(["top"], remote());
    await until(() => top.output().includes("q quit"), "the dashboard is drawn");
    top.kill("SIGTERM");
    expect(await top.ended).toBe(143);
    expect(top.output()).toEndWith(leave);
  });

  test("svc top without a terminal is wrong usage, and --json prints the state", async () => {
    expect((await program(["top"], remote())).code).toBe(2);
    const { output } = await program(["top", "--json"], remote());
    expect(Object.keys(JSON.parse(output))).toContain("spentToday");
  });

  test("svc login does not echo the token", async () => {
    const env = { XDG_CONFIG_HOME: join(linked.folder.path, "config") };
    await using login = runInTerminal(["login", linked.server.origin], env);
    await until(() => login.output().includes("Token for"), "the prompt");
    login.type(`x\x7f${programToken}\r`);
    expect(await login.ended).toBe(0);
    expect(login.output()).toContain("Logged in to");
    expect(login.output()).not.toContain(programToken);
  });
});
