/** svc usage: tables, CSV, JSON, and wrong flags. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { command } from "../support/commands/command.ts";
import { linkIn, migratedDatabase, type TestDatabase } from "../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
const svc = (...args: string[]) => command(args, env);

beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, TZ: "UTC", COLUMNS: "100" };
  await linkIn(database);
  const event = ["event", "add", "--kind", "run.finished", "--project", "atlas", "--actor", "agent:codex"];
  await svc(...event, "--summary", "Run 1", "--issue", "7", "--cost-equiv", "2.5", "--tokens-in", "1200");
  await svc(...event, "--summary", "Run 2", "--cost-equiv", "0.5", "--run-id", "run-2");
});
afterAll(() => database.close());

test("svc usage lists groups by cost, and says the range and the total", async () => {
  const { output, errors } = await svc("usage", "--group", "task");
  expect(
    output
      .trim()
      .split("\n")
      .map((line) => line.split(/\s{2,}/)),
  ).toEqual([
    ["TASK", "COST", "TOKENS", "RUNS", "FAILED", "MERGED", "PER MERGE"],
    ["atlas #7", "$2.50", "1.2k", "1", "0", "0"],
    ["atlas unattributed", "$0.50", "0", "1", "0", "0"],
  ]);
  expect(errors).toMatch(
    /^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d: \$3\.00, \$0\.50 unattributed, 2 runs, 0 failed\.\n$/,
  );
  expect((await svc("usage", "--group", "run")).output).toMatch(/^run-2 +\$0\.50 .*\nother +\$2\.50 /m);
});

test("svc usage prints the rows as CSV and the report as JSON", async () => {
  const lines = (await svc("usage", "--csv", "--interval", "month")).output.trim().split("\r\n");
  expect(lines[0]).toStartWith("start,project,model,lane,actor,issue,pr,run_id,");
  expect(lines[1]).toMatch(/^"\d{4}-\d\d-01","atlas",,/);
  const report = JSON.parse((await svc("usage", "--json")).output);
  expect(report).toMatchObject({ by: "project", total: { cost_equiv: 3 }, count: 1 });
});

test("svc usage --rejected reports rejected versions, none of them here", async () => {
  expect((await svc("usage", "--rejected")).errors).toBe("0 rejected versions: $0.00, 0 runs.\n");
  expect((await svc("usage", "--rejected", "--csv")).output).toStartWith("asset,title,version,project,");
});

test.each([
  [
    ["--group", "mood"],
    "svc: --group must be one of project, model, lane, actor, task, run, team, person.\n",
    2,
  ],
  [["--from", "never"], "svc: from must be a date.\n", 2],
  [["--csv", "--json"], "svc: --csv and --json cannot be used together.\n", 2],
  [["--rejected", "--group", "task"], "svc: --rejected and --group cannot be used together.\n", 2],
  [["--from", "2026-03-02", "--to", "2026-03-01"], /must not be after to/, 1],
  [["--project", "nowhere"], /^svc: No project with slug 'nowhere'\. See svc project list\.\n$/, 1],
] as const)("svc usage %j is one line and an exit code", async (flags, message, code) => {
  const { code: exitCode, errors, output } = await svc("usage", ...flags);
  expect([exitCode, output]).toEqual([code, ""]);
  if (typeof message === "string") expect(errors).toBe(message);
  else expect(errors).toMatch(message);
});
