/** Usage errors, failed commands, tokens and help. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commands, firstWeek } from "../../cli/commands.ts";
import { freshDatabase, program, runProgram, type TestDatabase, until } from "../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, TZ: "UTC" };
  await svc("project", "link", "atlas", "--repo", "acme/atlas", "--stack", "Bun", "--lanes", "lane_a");
});
afterAll(() => database.close());

const svc = (...args: string[]) => program(args, env);

describe("wrong usage is one line on standard error and exit code 2", () => {
  test.each([
    [
      "a token without a role or scopes",
      ["token", "create", "x"],
      "Choose what the token may do with --role (telemetry, reader, reviewer, ci, agent, admin) or --scopes.",
    ],
    [
      "a token with a role and scopes",
      ["token", "create", "x", "--role", "ci", "--scopes", "feed:read"],
      "Use either --role or --scopes, not both.",
    ],
    [
      "an unknown role",
      ["token", "create", "x", "--role", "root"],
      'Unknown role "root". Roles: telemetry, reader, reviewer, ci, agent, admin.',
    ],
    ["an unknown command", ["nope"], 'Unknown command "nope". See svc --help.'],
    ["a mistyped command", ["fed"], 'Unknown command "fed". Did you mean "feed"?'],
    [
      "a mistyped subcommand",
      ["token", "creat"],
      'Unknown command "token creat". Did you mean "token create"?',
    ],
    [
      "a command without its subcommand",
      ["token"],
      "Missing command. Choose one of create, list, owner, review-role, rotate, signing-secret, activity, revoke.",
    ],
    ["an unknown flag", ["feed", "--bogus", "3"], "Unknown option '--bogus'"],
    ["an extra argument", ["project", "list", "extra"], 'Unexpected argument "extra"'],
    ["a missing argument", ["token", "create"], "NAME"],
    ["a flag without a value", ["feed", "--project"], "--project"],
    ["an invalid duration", ["feed", "--since", "1x"], "--since must be a duration"],
    ["a bad field", ["feed", "--limit", "0"], "limit must be an integer from 1 to 200"],
    ["a bad slug", ["project", "link", "Bad", "--repo", "a/b"], "slug must be"],
    [
      "an event kind that only the service may add",
      ["event", "add", "--kind", "asset.uploaded", "--actor", "agent:a", "--summary", "x"],
      "kind must be one of issue.opened,",
    ],
    [
      "a mistyped flag",
      ["feed", "--porject", "atlas"],
      "Unknown option '--porject'. Did you mean --project?",
    ],
    [
      "a server and a database",
      ["feed", "--server", "http://127.0.0.1:1", "--data-dir", "."],
      "--server and --data-dir cannot be used together.",
    ],
    ["an unknown shell", ["completion", "tcsh"], "The shell must be one of bash, zsh, fish, powershell."],
    ["help of an unknown command", ["help", "fed"], 'Unknown command "fed". Did you mean "feed"?'],
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
    [
      "a repository of another project",
      ["project", "link", "other", "--repo", "ACME/Atlas"],
      "is already linked to another project",
    ],
    ["an unknown project", ["project", "show", "nope"], "No project with slug 'nope'"],
    ["an unknown token", ["token", "revoke", "nope"], 'No active token "nope"'],
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

test("help is on standard output, without color unless it is a terminal: a first week, or all", async () => {
  const listed = async (...words: string[]) => {
    const { code, output } = await svc(...words);
    expect([code, output.includes("\x1b")]).toEqual([0, false]);
    return [...output.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name);
  };
  const [few, all] = [await listed("--help"), await listed("help", "all")];
  expect(few.toSorted()).toEqual(Object.values(firstWeek).flat().toSorted());
  expect(few).toHaveLength(12);
  expect(all.toSorted()).toEqual(Object.keys(commands).toSorted());
  expect((await svc("help")).output).toBe((await svc("--help")).output);
  expect((await svc("help", "tasks")).output).toContain("svc tasks [flags]");
  expect((await svc("token", "create", "--help")).output).toContain("svc token create <name> [flags]");
});
