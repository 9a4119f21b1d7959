/** svc person, and whose work a token does, on a local database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { command } from "../support/commands/command.ts";
import { migratedDatabase, type TestDatabase } from "../support/harness.ts";

let database: TestDatabase;
const svc = (...args: string[]) =>
  command(args, { SVC_DATABASE_URL: database.url, TZ: "UTC", COLUMNS: "140" });

beforeAll(async () => {
  database = await migratedDatabase("sqlite");
});
afterAll(() => database.close());

test("people are added, linked, listed and removed, and tokens are theirs", async () => {
  const early = await svc("token", "create", "laptop", "--role", "agent", "--owner", "dana");
  expect(early).toMatchObject({
    code: 1,
    errors: 'svc: No person "dana". Add them first: svc person add dana\n',
  });
  const added = await svc("person", "add", "dana", "--team", "maps", "--email", "dana@example.com");
  expect(added.errors).toMatch(/^Saved "dana" in .*svc\.db: team maps, email:dana@example\.com\.\n$/);
  const linked = await svc("person", "link", "dana", "--login", "github:dana-k");
  expect(linked.errors).toContain("github:dana-k");
  expect((await svc("person", "list")).output).toMatch(
    /^dana +– +maps +dana@example\.com, github:dana-k +\d{4}-/m,
  );
  await svc("token", "create", "laptop", "--role", "agent", "--owner", "dana");
  await svc("token", "create", "ci", "--role", "agent");
  expect((await svc("token", "owner", "ci", "--team", "platform")).errors).toMatch(
    /^New work of the token "ci" belongs to the team platform in .*svc\.db\.\n$/,
  );
  const tokens = (await svc("token", "list", "--json")).output.trim().split("\n");
  expect(tokens.map((line) => JSON.parse(line))).toMatchObject([
    { name: "laptop", owner: "dana", team: null },
    { name: "ci", owner: null, team: "platform" },
  ]);
  await svc("person", "remove", "dana");
  expect((await svc("person", "list")).output).toMatch(/^dana \(removed\) +– +maps +–/m);
  expect((await svc("person", "link", "dana")).errors).toBe("svc: Use --email or --login.\n");
});
