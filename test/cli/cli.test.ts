/** The command line: output, errors, exit codes, and escaping of untrusted text. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Event } from "../../src/feed/schema.ts";
import {
  freshDatabase,
  program,
  runProgram,
  type TestDatabase,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";

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

describe("wrong usage is one line on standard error and exit code 2", () => {
  test.each([
    [
      "a token without a role or scopes",
      ["token", "create", "x"],
      "Choose what the token may do with --role (reader, reviewer, ci, agent, admin) or --scopes.",
    ],
    [
      "a token with a role and scopes",
      ["token", "create", "x", "--role", "ci", "--scopes", "feed:read"],
      "Use either --role or --scopes, not both.",
    ],
    [
      "an unknown role",
      ["token", "create", "x", "--role", "root"],
      'Unknown role "root". Roles: reader, reviewer, ci, agent, admin.',
    ],
    ["an unknown command", ["nope"], 'Unknown command "nope". Choose one of serve, demo, open, feed, '],
    ["a mistyped command", ["fed"], 'Unknown command "fed". Did you mean "feed"?'],
    [
      "a mistyped subcommand",
      ["token", "creat"],
      'Unknown command "token creat". Did you mean "token create"?',
    ],
    [
      "a command without its subcommand",
      ["token"],
      "Missing command. Choose one of create, list, rotate, revoke.",
    ],
    ["an unknown flag", ["feed", "--bogus", "3"], "Unknown option '--bogus'"],
    ["an extra argument", ["project", "list", "extra"], 'Unexpected argument "extra"'],
    ["a missing argument", ["token", "create"], "NAME"],
    ["a flag without a value", ["feed", "--project"], "--project"],
    ["an invalid duration", ["feed", "--since", "1x"], "--since must be a duration"],
    [
      "mutually exclusive flags",
      ["feed", "--until-event", "run.finished", "--kind", "run.started"],
      "cannot be used together",
    ],
  ])("%s", async (_, args, message) => {
    const { code, output, errors } = await svc(...args);
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toStartWith("svc: ");
    expect(errors).toContain(message);
    expect(errors.trim().split("\n")).toHaveLength(1);
  });
});

describe("a failed command is one line on standard error and exit code 1", () => {
  test.each([
    ["a bad field", ["feed", "--limit", "0"], "limit must be an integer from 1 to 200"],
    ["a bad slug", ["project", "link", "Bad", "--repo", "a/b"], "slug must be"],
    [
      "a repository of another project",
      ["project", "link", "other", "--repo", "ACME/Atlas"],
      "is already linked to another project",
    ],
    ["an unknown project", ["project", "show", "nope"], "No project with slug 'nope'"],
    ["an unknown scope", ["token", "create", "x", "--scopes", "feed:read,root"], "scopes[1] must be one of"],
    ["an unknown token", ["token", "revoke", "nope"], 'No active token "nope"'],
    [
      "an event kind that only the service may add",
      ["event", "add", "--kind", "asset.uploaded", "--actor", "agent:a", "--summary", "x"],
      "kind must be one of issue.opened,",
    ],
    ["a missing file", ["event", "import", "/nowhere/at/all"], "File not found: /nowhere/at/all"],
    [
      "an unknown decision to supersede",
      ["decide", "atlas", "Text", "--supersedes", "999"],
      "is not a current decision of atlas",
    ],
  ])("%s", async (_, args, message) => {
    const { code, output, errors } = await svc(...args);
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toContain(message);
    expect(errors.trim().split("\n")).toHaveLength(1);
  });

  test("an invalid environment variable is reported with its name, value and allowed values", async () => {
    const { code, errors } = await program(["feed"], { ...env, SVC_PORT: "eighty" });
    expect(code).toBe(1);
    expect(errors).toBe('svc: SVC_PORT is "eighty"; allowed: a whole number from 0 to 65535\n');
  });
});

describe("an unknown project or lane is one line on standard error and exit code 1", () => {
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
    [["token", "create", "x", "--scopes", "feed:read", "--project", "nope"], 'No project "nope"'],
  ])("svc %p", async (args, message) => {
    await using running = runProgram(args, env);
    await until(() => running.process.exitCode !== null, "it ends", 10_000);
    expect([await running.ended, running.output()]).toEqual([1, ""]);
    expect(running.errors()).toContain(message);
    expect(running.errors().trim().split("\n")).toHaveLength(1);
  });
});

test("a token is printed alone on standard output, listed without its secret, and revoked once", async () => {
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
  expect(errors).toContain(
    'Created token "ci" (feed:read) for project atlas. Copy it now; it won\'t be shown again.',
  );
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

test("every field of an event is a flag", async () => {
  const fields = {
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
  const flags = Object.entries(fields).flatMap(([field, value]) => [
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
    ...fields,
  });
});

test("the feed is aligned, newest last, with the tokens, cost and duration that an event has", async () => {
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

test("a page prints the cursor of older events on standard error, and the last page prints none", async () => {
  for (const run of [1, 2, 3])
    await add("run.started", `Paged ${run}`, "--project", "atlas", "--model", "paged");
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

describe("svc event import", () => {
  const line = (at: number) =>
    JSON.stringify({
      kind: "run.started",
      actor: "runner:ci",
      summary: `Imported ${at}`,
      ts: "2025-05-05T05:05:05Z",
    });

  test("resumes: an invalid line is named, the batches before it stay, and a second run adds the rest once", async () => {
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

  test("rejects a time more than five minutes ahead of the clock", async () => {
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
      errors: "svc: line 1: ts is more than five minutes in the future\n",
    });
  });
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
  ])("--until-event %s ends at %s with exit code %i", async (awaited, added, code) => {
    await using running = await waiting("--until-event", awaited);
    await add(added, "done");
    expect(await running.ended).toBe(code);
  });

  test("Ctrl-C exits with 0, or with 130 during --until-event", async () => {
    await using following = await waiting("-f");
    await using awaiting = await waiting("--until-event", "run.finished");
    for (const running of [following, awaiting]) running.process.kill("SIGINT");
    expect([await following.ended, await awaiting.ended]).toEqual([0, 130]);
    expect(following.errors() + awaiting.errors()).toBe("");
  });
});

test("a closed pipe is not an error, and a slow pipe receives the whole feed", async () => {
  const count = (command: string) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["bash", "-c", `set -o pipefail; ${command}`], {
      env: { ...process.env, ...env },
    });
    return { output: stdout.toString().trim(), errors: stderr.toString(), exitCode };
  };
  const binary = process.env.SVC_TEST_BINARY ?? `${process.execPath} ${join(repositoryRoot, "cli/main.ts")}`;
  const all = `${binary} feed --json --after 2020-01-01T00:00:00Z`;
  expect(count(`${all} | head -n 1 | wc -l`)).toEqual({ output: "1", errors: "", exitCode: 0 });
  expect(Number(count(`${all} | (sleep 0.3; wc -l)`).output)).toBeGreaterThanOrEqual(1200);
});

test("help is on standard output, without color unless it is a terminal, and lists every command", async () => {
  const { code, output } = await svc("--help");
  expect(code).toBe(0);
  for (const command of ["serve", "feed", "project", "event", "decide", "token"])
    expect(output).toContain(`  ${command} `);
  expect(output).not.toContain("\x1b");
  expect((await svc("token", "create", "--help")).output).toContain("svc token create [OPTIONS] <NAME>");
});
