/** The feed on the command line: its lines, pages, and waiting for an event. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Appendable } from "../../src/feed/rows.ts";
import type { Event, EventKind } from "../../src/feed/schema.ts";
import { command } from "../support/commands/command.ts";
import {
  event,
  linkIn,
  migratedDatabase,
  runProgram,
  type TestDatabase,
  temporaryFolder,
  until,
  writeTo,
} from "../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, TZ: "UTC" };
  await linkIn(database);
});
afterAll(() => database.close());

const svc = (...args: string[]) => command(args, env);
const add = (kind: EventKind, summary: string, fields: Partial<Appendable> = {}) =>
  writeTo(database.url, (data) => data.append([event({ kind, summary, ...fields })]));
const events = (output: string) =>
  output
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);

test("the feed is aligned, newest last, with the tokens, cost and duration that an event has", async () => {
  await add("run.finished", "Run 9 finished", {
    ...{ project: "atlas", tokens_in: 18_234, tokens_out: 3100, cost_equiv: 0.42, duration_ms: 192_000 },
  });
  await add("run.failed", "Run 10 failed");
  const lines = (await svc("feed", "--limit", "2")).output.trimEnd().split("\n");
  expect(lines[0]).toMatch(
    /^[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d {2}run\.finished {9}atlas {11}agent:codex {9}Run 9 finished {2}18\.2k→3\.1k {2}\$0\.42 {2}3m12s$/,
  );
  expect(lines[1]).toMatch(/ {2}run\.failed {11}– {15}agent:codex {9}Run 10 failed$/);
});

test("a page prints the cursor of older events on standard error, and the last page prints none", async () => {
  for (const run of [1, 2, 3]) await add("run.started", `Paged ${run}`, { project: "atlas", model: "paged" });
  const summaries: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await svc("feed", "--json", "--limit", "2", ...(cursor ? ["--cursor", cursor] : []));
    summaries.unshift(...events(page.output).map(({ summary }) => summary));
    cursor = /^Older: --cursor (\S+)\n$/.exec(page.errors)?.[1];
  } while (cursor);
  expect(summaries.slice(-3)).toEqual(["Paged 1", "Paged 2", "Paged 3"]);
  expect(new Set(summaries).size).toBe(summaries.length);
  expect((await svc("feed", "--cursor", "garbage")).errors).toContain(
    "cursor must be the `next_cursor` of the previous page",
  );
});

test("a filter takes several values, separated by commas", async () => {
  const summaries = async (...args: string[]) =>
    events((await svc("feed", "--json", ...args)).output).map(({ summary }) => summary);
  for (const kind of ["pr.opened", "pr.merged", "pr.closed"] as const) await add(kind, `A ${kind}`);
  expect(await summaries("--kind", "pr.opened,pr.closed")).toEqual(["A pr.opened", "A pr.closed"]);
  expect(
    await summaries("--kind", "pr.merged, pr.opened", "--actor", "agent:codex", "--since", "1h"),
  ).toEqual(["A pr.opened", "A pr.merged"]);
  const unknown = await svc("feed", "--project", "atlas,nowhere");
  expect([unknown.code, unknown.errors]).toEqual([1, expect.stringContaining("nowhere")]);
  const invalid = await svc("feed", "--kind", "pr.opened,pr.flown");
  expect([invalid.code, invalid.errors]).toEqual([2, expect.stringContaining("kind must be one of")]);
});

test("the filter by actor takes any form of a name, and a person apart from programs", async () => {
  for (const kind of ["agent", "bot", "human"] as const)
    await add("run.started", kind, { actor: `${kind}:mira` });
  const found = async (actor: string) =>
    events((await svc("feed", "--actor", actor, "--json")).output).map(({ summary }) => summary);
  expect(await found("mira")).toEqual(["agent", "bot", "human"]);
  expect(await found("token:mira")).toEqual(["agent", "bot"]);
  expect(await found("agent:mira")).toEqual(["agent", "bot"]);
  expect(await found("human:mira")).toEqual(["human"]);
  for (const kind of ["agent", "bot"])
    await add("run.started", "run", { actor: `${kind}:zoe`, project: "atlas", run_id: `run-${kind}` });
  const runs = (await svc("runs", "--actor", "token:zoe", "--json")).output;
  expect(runs.match(/"id":"run-\w+"/g)).toEqual(['"id":"run-bot"', '"id":"run-agent"']);
});

test("tasks are listed with stage, agents, runs, cost and title, by any form of an actor's name", async () => {
  const task = { project: "atlas", issue: 41 };
  await add("issue.opened", "Issue #41 opened: Draw the coast", task);
  for (const [kind, cost_equiv] of [
    ["agent", 0.25],
    ["bot", 0.5],
  ] as const) {
    const run = { ...task, actor: `${kind}:ira`, run_id: `coast-${kind}`, model: "opus" };
    await add("run.started", "Run started", run);
    await add("run.finished", "Run finished", { ...run, cost_equiv });
  }
  await add("issue.opened", "Issue #42 opened: Draw the lagoon", { ...task, issue: 42 });
  const listed = async (...args: string[]) =>
    events((await svc("tasks", "--json", ...args)).output).map(({ issue }) => issue);
  expect(await listed("--actor", "ira", "--sort", "cost")).toEqual([41]);
  expect(await listed("--stage", "requested")).toContain(42);
  expect(await listed("--model", "opus")).toEqual([41]);
  const { output } = await svc("tasks", "--actor", "token:ira");
  expect(output).toMatch(/^TASK +PROJECT +STAGE +AGENT +RUNS +VERSIONS +COST +AGE +TITLE\n/);
  expect(output).toMatch(/#41 +atlas +stopped +ira +2 +0 +\$0\.75 +(?:now|\d+s ago) +Draw the coast/);
  expect((await svc("tasks", "--stage", "lost")).errors).toContain("stage must be one of");
  expect((await svc("tasks", "--actor", "nobody")).errors).toContain("No tasks.");
});

test("a filter of two words has a flag of two words", async () => {
  for (const run of ["one", "two"]) await add("run.started", `Run ${run}`, { project: "atlas", run_id: run });
  const found = events((await svc("feed", "--json", "--run-id", "two")).output);
  expect(found.map(({ summary }) => summary)).toEqual(["Run two"]);
});

test("untrusted text is one row with visible escapes and no control characters", async () => {
  const summary = "a \u202egnp.exe\u2066 \u{e0041} zero\u200bwidth";
  const body = JSON.stringify({ kind: "run.started", actor: "agent:x", summary });
  await using folder = await temporaryFolder();
  await Bun.write(join(folder.path, "one.ndjson"), body);
  await svc("event", "import", join(folder.path, "one.ndjson"));
  const { output } = await svc("feed", "--limit", "1");
  expect(output).toContain("a \\u{202e}gnp.exe\\u{2066} \\u{e0041} zero\\u{200b}width");
  expect(output.split("\n")).toHaveLength(2);
});

describe("svc feed waits for an event", () => {
  const waiting = async (...args: string[]) => {
    const running = runProgram(["feed", "--json", ...args], env);
    // A marker from another process proves that it is following, so that later events arrive after its start.
    const marker = crypto.randomUUID();
    await until(async () => {
      await add("step.usage", marker);
      return running.output().includes(marker);
    }, "the marker is printed");
    return running;
  };

  test.each([
    ["run.finished", "run.finished", 0],
    ["run.finished", "run.failed", 1],
    ["preview.ready", "preview.failed", 1],
  ] as const)("--until-event %s ends at %s with exit code %i", async (awaited, added, code) => {
    await using running = await waiting("--until-event", awaited);
    await add(added, "done");
    expect(await running.ended).toBe(code);
  });

  test("--until-event waits for an agent, and for a pipeline only if the filter names it", async () => {
    await using agents = await waiting("--until-event", "run.finished");
    await using pipeline = await waiting("--until-event", "run.finished", "--actor", "agent:codex");
    await add("run.failed", "CI failed", { run_id: "github-actions/7/1" });
    expect(await pipeline.ended).toBe(1);
    await add("run.finished", "done");
    expect(await agents.ended).toBe(0);
    expect(agents.output()).toContain("CI failed");
  });

  test("Ctrl-C exits with 0, or with 130 during --until-event", async () => {
    await using following = await waiting("-f");
    await using awaiting = await waiting("--until-event", "run.finished");
    for (const running of [following, awaiting]) running.process.kill("SIGINT");
    expect([await following.ended, await awaiting.ended]).toEqual([0, 130]);
    expect(following.errors() + awaiting.errors()).toBe("");
  });
});
