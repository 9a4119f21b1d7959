/** svc budget on a local database: set, check, list, remove. */
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
});
afterAll(() => database.close());

test("svc budget sets, checks, lists and removes; check exits with 1 when one is spent", async () => {
  const set = await svc("budget", "set", "200", "--project", "atlas");
  expect(set.errors).toMatch(/^Set budget "atlas, month" in .*svc\.db: \$0 of \$200 spent\.\n$/);
  const add = ["event", "add", "--kind", "run.finished", "--project", "atlas", "--actor", "agent:codex"];
  await svc(...add, "--summary", "Run 1", "--cost-equiv", "160.2");
  expect(await svc("budget", "check", "--project", "atlas")).toMatchObject({
    ...{ code: 0, output: "Budget 'atlas, month' is at $160.20 of $200 (80%), $39.80 left.\n", errors: "" },
  });
  expect((await svc("budget", "list")).output).toMatch(/^1 +atlas, month +\$160\.20 +\$200 +80% +– +\d{4}-/m);
  await svc(...add, "--summary", "Run 2", "--cost-equiv", "50");
  expect(await svc("budget", "check")).toMatchObject({
    ...{ code: 1, output: "Budget 'atlas, month' is spent: $210.20 of $200 (105%).\n", errors: "" },
  });
  const feed = await svc("feed", "--kind", "budget.reached");
  expect(feed.output).toContain("Budget 'atlas, month' is at 80%: $160.20 of $200");
  expect(feed.output).toContain("Budget 'atlas, month' is spent: $210.20 of $200");
  expect((await svc("budget", "remove", "1")).errors).toMatch(
    /^Removed budget "atlas, month" in .*svc\.db\.\n$/,
  );
  expect((await svc("budget", "list")).errors).toStartWith("No budgets.");
});

test.each([
  [["set", "much"], "svc: amount must be a number from 0.01 to 1000000000000.\n", 2],
  [["set", "0"], /^svc: amount must be a number from 0.01/, 2],
  [["set", "5", "--period", "year"], "svc: period must be one of day, week, month.\n", 2],
  [["check", "--project", "nowhere"], "svc: No project with slug 'nowhere'. See svc project list.\n", 1],
  [["remove", "7"], "svc: No budget with id 7.\n", 1],
] as const)("svc budget %j is one line and an exit code", async (flags, message, code) => {
  const { code: exitCode, errors, output } = await svc("budget", ...flags);
  expect([exitCode, output]).toEqual([code, ""]);
  if (typeof message === "string") expect(errors).toBe(message);
  else expect(errors).toMatch(message);
});
