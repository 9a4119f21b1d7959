/** svc checklist, svc review-policy and svc token review-role on a local database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { command } from "../support/commands/command.ts";
import { linkIn, migratedDatabase, type TestDatabase, temporaryFolder } from "../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
const svc = (...args: string[]) => command(args, env);

beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, TZ: "UTC", COLUMNS: "100" };
  await linkIn(database);
});
afterAll(() => database.close());

test("svc checklist sets the lines of a file, shows them again, lists and removes", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/images.txt`;
  await Bun.write(file, "# Images\n- Logo visible\n- Calm (optional)\n");
  const set = ["checklist", "set", "atlas", "image", file];
  expect((await svc(...set)).errors).toMatch(
    /^Set the checklist of atlas for the kind image, version 1, with 2 items in .*svc\.db\.\n$/,
  );
  expect((await svc(...set)).errors).toStartWith("No change to the checklist of atlas");
  expect((await svc("checklist", "show", "atlas", "image")).output).toBe("Logo visible\nCalm (optional)\n");
  expect((await svc("checklist", "list", "atlas")).output).toMatch(/^image +v1 +2 +\d{4}-/m);
  expect((await svc("checklist", "remove", "atlas", "image")).errors).toStartWith("Removed the checklist");
  expect((await svc("checklist", "list", "atlas")).errors).toStartWith("No checklists.");
});

test("svc review-policy sets, lists and removes; a token gets a review role", async () => {
  expect((await svc("review-policy", "set", "atlas", "image", "design", "legal=2")).errors).toMatch(
    /^Assets of atlas of the kind image now need approvals of design and 2 legal in .*svc\.db\.\n$/,
  );
  expect((await svc("review-policy", "list", "atlas")).output).toMatch(/^image +design and 2 legal +\d{4}-/m);
  const create = ["token", "create", "ana", "--role", "reviewer", "--review-role", "design"];
  expect((await svc(...create)).errors).toContain("; reviews as design");
  expect((await svc("token", "review-role", "ana", "legal")).errors).toStartWith(
    'Reviews of the token "ana" now count for legal in ',
  );
  expect((await svc("token", "list")).output).toContain("reviewer, reviews as legal");
  await svc("token", "create", "rae", "--role", "reader");
  expect((await svc("token", "review-role", "rae", "legal")).errors).toStartWith(
    "svc: A review role needs the scope assets:review",
  );
  expect((await svc("review-policy", "remove", "atlas", "image")).errors).toStartWith("Removed the review");
});

test.each([
  [["checklist", "show", "atlas", "pdf"], "svc: atlas has no checklist for the kind pdf.\n", 1],
  [["checklist", "set", "atlas", "image", "/nowhere.txt"], "svc: File not found: /nowhere.txt\n", 1],
  [["review-policy", "set", "atlas", "image", "=2"], /^svc: Write roles with their counts/, 2],
  [["review-policy", "set", "atlas", "image", "design=11"], /^svc: need/, 2],
  [["token", "create", "x", "--role", "reader", "--review-role", "design"], /^svc: A review role needs/, 2],
  [["token", "review-role", "nobody", "design"], /^svc: No active token "nobody"/, 1],
] as const)("svc %j is one line and an exit code", async (args, message, code) => {
  const { code: exitCode, errors, output } = await svc(...args);
  expect([exitCode, output]).toEqual([code, ""]);
  if (typeof message === "string") expect(errors).toBe(message);
  else expect(errors).toMatch(message);
});
