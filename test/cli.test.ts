/** The command line: what it prints where, what it exits with, and that nobody's text acts in a terminal. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Event } from "../src/feed/schema.ts";
import {
  freshDatabase,
  program,
  runProgram,
  type TestDatabase,
  temporaryFolder,
  until,
} from "./support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, TZ: "UTC" };
  await svc("project", "link", "atlas", "--repo", "acme/atlas", "--stack", "Bun", "--lanes", "lane_a");
});
afterAll(() => database.close());

const svc = (...args: string[]) => program(args, env);
const add = (kind: string, summary: string, ...more: string[]) =>
  svc("event", "add", "--kind", kind, "--actor", "agent:codex", "--summary", summary, ...more);
const events = (output: string) =>
  output
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);

describe("a wrong call is one line on standard error and exit code 2", () => {
  test.each([
    ["an unknown command", ["nope"], "'nope' is no command"],
    ["a command without its subcommand", ["token"], "which command?"],
    ["an unknown flag", ["feed", "--bogus", "3"], "Unknown option '--bogus'"],
    ["a word too many", ["project", "list", "extra"], "'extra' is one word too many"],
    ["a missing argument", ["token", "create"], "NAME"],
    ["a flag without its value", ["feed", "--project"], "--project"],
    ["a length of time that is none", ["feed", "--since", "1x"], "--since takes a length of time"],
    [
      "flags that exclude each other",
      ["feed", "--until-event", "run.finished", "--kind", "run.started"],
      "cannot be given together",
    ],
  ])("%s", async (_, args, said) => {
    const { code, output, errors } = await svc(...args);
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toStartWith("svc: ");
    expect(errors).toContain(said);
    expect(errors.trim().split("\n")).toHaveLength(1);
  });
});

describe("what cannot be done is one line on standard error and exit code 1", () => {
  test.each([
    ["a bad field", ["feed", "--limit", "0"], "limit must be an integer from 1 to 200"],
    ["a bad slug", ["project", "link", "Bad", "--repo", "a/b"], "slug must be"],
    [
      "a repository of another project",
      ["project", "link", "other", "--repo", "ACME/Atlas"],
      "is linked as another project",
    ],
    ["an unknown project", ["project", "show", "nope"], "No project with slug 'nope'"],
    ["an unknown scope", ["token", "create", "x", "--scopes", "feed:read,root"], "scopes[1] must be one of"],
    ["an unknown token", ["token", "revoke", "nope"], "no valid token 'nope'"],
    [
      "an event kind of the service itself",
      ["event", "add", "--kind", "asset.uploaded", "--actor", "agent:a", "--summary", "x"],
      "kind must be one of issue.opened,",
    ],
    ["a missing file", ["event", "import", "/nowhere/at/all"], "there is no file"],
    [
      "an unknown decision to supersede",
      ["decide", "atlas", "Text", "--supersedes", "999"],
      "no current decision",
    ],
  ])("%s", async (_, args, said) => {
    const { code, output, errors } = await svc(...args);
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toContain(said);
    expect(errors.trim().split("\n")).toHaveLength(1);
  });

  test("a bad variable names itself, its value and what is allowed", async () => {
    const { code, errors } = await program(["feed"], { ...env, SVC_PORT: "eighty" });
    expect(code).toBe(1);
    expect(errors).toBe('svc: SVC_PORT is "eighty"; allowed: a whole number from 0 to 65535\n');
  });
});

describe("a project or a lane that does not exist is one line on standard error and exit code 1", () => {
  const newEvent = ["event", "add", "--kind", "run.started", "--actor", "agent:a", "--summary", "x"];
  test.each([
    [["feed", "--project", "nope"], "No project with slug 'nope'"],
    [["feed", "--follow", "--project", "nope"], "No project with slug 'nope'"],
    [["feed", "--until-event", "run.finished", "--project", "nope"], "No project with slug 'nope'"],
    [["feed", "--lane", "nope"], "lane must be one of lane_a, lane_b, lane_c"],
    [["feed", "--follow", "--lane", "nope"], "lane must be one of"],
    [[...newEvent, "--project", "nope"], "no project with slug 'nope'"],
    [[...newEvent, "--lane", "nope"], "lane must be one of"],
    [["asset", "list", "--project", "nope"], "No project with slug 'nope'"],
    [["asset", "push", import.meta.path, "--project", "nope"], "o project with slug 'nope'"],
    [["project", "show", "nope"], "No project with slug 'nope'"],
    [["project", "link", "atlas", "--repo", "acme/atlas", "--lanes", "nope"], "lanes must be one of"],
    [["model", "onboard", "m-1", "--provider", "p", "--lanes", "nope"], "lanes must be one of"],
    [["brief", "nope"], "No project with slug 'nope'"],
    [["recall", "words", "--project", "nope"], "No project with slug 'nope'"],
    [["decide", "nope", "Text"], "No project with slug 'nope'"],
    [["prefer", "key", "value", "--project", "nope"], "No project with slug 'nope'"],
    [["consolidate", "nope"], "No project with slug 'nope'"],
    [["token", "create", "x", "--scopes", "feed:read", "--project", "nope"], "no project 'nope'"],
  ])("svc %p", async (args, said) => {
    await using running = runProgram(args, env);
    await until(() => running.process.exitCode !== null, "it ends", 10_000);
    expect([await running.ended, running.output()]).toEqual([1, ""]);
    expect(running.errors()).toContain(said);
    expect(running.errors().trim().split("\n")).toHaveLength(1);
  });
});

test("a token is printed alone on standard output, listed without its text, revoked once", async () => {
  const { output, errors } = await svc(
    "token",
    "create",
    "ci",
    "--scopes",
    "feed:read",
    "--project",
    "atlas",
    "--expires",
    "30d",
  );
  expect(output).toMatch(/^svc_[0-9A-Za-z]{40}\n$/);
  expect(errors).toContain("shown this once");
  const listed = await svc("token", "list", "--json");
  expect(listed.output).not.toContain(output.trim());
  expect(JSON.parse(listed.output)).toMatchObject({
    name: "ci",
    scopes: ["feed:read"],
    projects: ["atlas"],
    revoked_at: null,
  });
  expect((await svc("token", "create", "ci", "--scopes", "feed:read")).code).toBe(1);
  expect((await svc("token", "revoke", "ci")).code).toBe(0);
  expect((await svc("token", "revoke", "ci")).code).toBe(1);
});

test("every field of an event is a flag in the spelling of a command line", async () => {
  const said = {
    issue: 12,
    pr: 13,
    lane: "lane_a",
    model: "m-1",
    subscription: "team",
    tokens_in: 18234,
    tokens_out: 3100,
    cost_equiv: 0.42,
    duration_ms: 192000,
  };
  const flags = Object.entries(said).flatMap(([field, value]) => [
    `--${field.replaceAll("_", "-")}`,
    String(value),
  ]);
  expect(
    (
      await add(
        "run.finished",
        "Run 7 finished",
        "--repo",
        "ACME/atlas",
        "--url",
        "https://ci.test/7",
        ...flags,
      )
    ).code,
  ).toBe(0);
  const [event] = events((await svc("feed", "--json", "--limit", "1")).output);
  expect(event).toMatchObject({
    kind: "run.finished",
    project: "atlas",
    repo: "ACME/atlas",
    url: "https://ci.test/7",
    ...said,
  });
});

test("the feed is a log: aligned, newest last, tokens and cost and time where an event has them", async () => {
  await add(
    "run.finished",
    "Run 9 finished",
    "--project",
    "atlas",
    "--tokens-in",
    "18234",
    "--tokens-out",
    "3100",
    "--cost-equiv",
    "0.42",
    "--duration-ms",
    "192000",
  );
  await add("run.failed", "Run 10 failed");
  const lines = (await svc("feed", "--limit", "2")).output.trimEnd().split("\n");
  expect(lines[0]).toMatch(
    /^[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d {2}run\.finished {9}atlas {11}agent:codex {9}Run 9 finished {2}18\.2k→3\.1k {2}\$0\.42 {2}3m12s$/,
  );
  expect(lines[1]).toMatch(/ {2}run\.failed {11}– {15}agent:codex {9}Run 10 failed$/);
});

test("older events follow by the cursor that a page prints on standard error, and the last page prints none", async () => {
  for (const run of [1, 2, 3])
    await add("run.started", `Paged ${run}`, "--project", "atlas", "--model", "paged");
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await svc("feed", "--json", "--limit", "2", ...(cursor ? ["--cursor", cursor] : []));
    seen.unshift(...events(page.output).map(({ summary }) => summary));
    cursor = /^Older: --cursor (\S+)\n$/.exec(page.errors)?.[1];
  } while (cursor);
  expect(seen.slice(-3)).toEqual(["Paged 1", "Paged 2", "Paged 3"]);
  expect(new Set(seen).size).toBe(seen.length);
  expect((await svc("feed", "--cursor", "garbage")).errors).toContain(
    "cursor must be the `next_cursor` of the previous page",
  );
});

test("hostile text is inert: one row, visible escapes, no control characters", async () => {
  const summary = "a \u202egnp.exe\u2066 \u{e0041} zero\u200bwidth";
  const body = JSON.stringify({ kind: "run.started", actor: "agent:x", summary });
  await using folder = await temporaryFolder();
  await Bun.write(join(folder.path, "one.ndjson"), body);
  await svc("event", "import", join(folder.path, "one.ndjson"));
  const { output } = await svc("feed", "--limit", "1");
  expect(output).toContain("a \\u{202e}gnp.exe\\u{2066} \\u{e0041} zero\\u{200b}width");
  expect(output.split("\n")).toHaveLength(2);
});

describe("svc event import", () => {
  const line = (at: number) =>
    JSON.stringify({
      kind: "run.started",
      actor: "runner:ci",
      summary: `Imported ${at}`,
      ts: "2025-05-05T05:05:05Z",
    });

  test("goes on where it stopped: a bad line is named, what is before it stays by batches, a second run adds the rest once", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "past.ndjson");
    const lines = Array.from({ length: 1200 }, (_, at) => line(at));
    await Bun.write(file, [...lines.slice(0, 1100), '{"kind":"nope"}'].join("\n"));
    const broken = await svc("event", "import", file);
    expect(broken.code).toBe(1);
    expect(broken.errors).toContain("line 1101: ");
    await Bun.write(file, lines.join("\n"));
    expect(JSON.parse((await svc("event", "import", file, "--json")).output)).toMatchObject({
      accepted: 200,
      duplicates: 1000,
    });
    expect(JSON.parse((await svc("event", "import", file, "--json")).output)).toMatchObject({
      accepted: 0,
      duplicates: 1200,
    });
    const listed = events(
      (await svc("feed", "--json", "--actor", "runner:ci", "--after", "2020-01-01T00:00:00Z")).output,
    );
    expect(listed.map((event) => event.summary)).toEqual(lines.map((_, at) => `Imported ${at}`));
  });

  test("refuses a time more than five minutes ahead of the clock", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "ahead.ndjson");
    await Bun.write(
      file,
      JSON.stringify({
        kind: "run.started",
        actor: "agent:a",
        summary: "x",
        ts: new Date(Date.now() + 600_000).toISOString(),
      }),
    );
    const { code, errors } = await svc("event", "import", file);
    expect({ code, errors }).toEqual({
      code: 1,
      errors: "svc: line 1: ts is more than five minutes ahead of the clock\n",
    });
  });
});

describe("svc feed waits for an event", () => {
  const waiting = async (...args: string[]) => {
    const running = runProgram(["feed", "--json", ...args], env);
    // A marker of another process proves that it follows, so what comes next comes after its start.
    const marker = crypto.randomUUID();
    await until(async () => {
      await add("step.usage", marker);
      return running.output().includes(marker);
    }, "it follows");
    return running;
  };

  test.each([
    ["run.finished", "run.finished", 0],
    ["run.finished", "run.failed", 1],
    ["preview.ready", "preview.failed", 1],
  ])("--until-event %s ends at %s with exit code %i", async (wanted, came, code) => {
    await using running = await waiting("--until-event", wanted);
    await add(came, "here it is");
    expect(await running.ended).toBe(code);
  });

  test("Ctrl-C is clean, and 130 where an event was waited for", async () => {
    await using following = await waiting("-f");
    await using wanting = await waiting("--until-event", "run.finished");
    for (const running of [following, wanting]) running.process.kill("SIGINT");
    expect([await following.ended, await wanting.ended]).toEqual([0, 130]);
    expect(following.errors() + wanting.errors()).toBe("");
  });
});

test("a closed pipe is no error, and a long feed through a slow one is whole", async () => {
  const count = (command: string) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["bash", "-c", `set -o pipefail; ${command}`], {
      env: { ...process.env, ...env },
    });
    return { output: stdout.toString().trim(), errors: stderr.toString(), exitCode };
  };
  const binary =
    process.env.SVC_TEST_BINARY ?? `${process.execPath} ${join(import.meta.dir, "../cli/main.ts")}`;
  const all = `${binary} feed --json --after 2020-01-01T00:00:00Z`;
  expect(count(`${all} | head -n 1 | wc -l`)).toEqual({ output: "1", errors: "", exitCode: 0 });
  expect(Number(count(`${all} | (sleep 0.3; wc -l)`).output)).toBeGreaterThanOrEqual(1200);
});

test("help is on standard output, plain where nobody looks, and names every command", async () => {
  const { code, output } = await svc("--help");
  expect(code).toBe(0);
  for (const command of ["serve", "feed", "project", "event", "decide", "token"])
    expect(output).toContain(`  ${command} `);
  expect(output).not.toContain("\x1b");
  expect((await svc("token", "create", "--help")).output).toContain(
    "svc token create [OPTIONS] <NAME> --scopes=<scopes>",
  );
});
