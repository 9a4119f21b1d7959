/** The branch pattern of a project, from the command line to where projects are shown. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { freshDatabase, program, type TestDatabase } from "../../support/harness.ts";

let database: TestDatabase;
const svc = (...args: string[]) => program(args, { SVC_DATABASE_URL: database.url });
const link = (...args: string[]) => svc("project", "link", "atlas", "--repo", "acme/atlas", ...args);
const shown = async () =>
  JSON.parse((await svc("project", "show", "atlas", "--json")).output).branch_pattern as unknown;

beforeAll(async () => {
  database = await freshDatabase("sqlite");
});
afterAll(() => database.close());

test("is none at first, is set, stays when other fields change, and is removed by an empty one", async () => {
  await link();
  expect(await shown()).toBeNull();
  expect((await link("--branch-pattern", "ATLAS-(\\d+)")).code).toBe(0);
  await link("--stack", "Bun");
  expect(await shown()).toBe("ATLAS-(\\d+)");
  expect((await svc("project", "show", "atlas")).output).toContain("branches   ATLAS-(\\d+)\n");
  await link("--branch-pattern", "");
  expect(await shown()).toBeNull();
});

test.each([
  ["ATLAS-\\d+", "branch_pattern must have exactly one group for the number or key, but has 0."],
  ["(?=x)(\\d+)", "branch_pattern must be a regular expression in RE2 syntax: "],
])("%s is refused in one line that says why", async (pattern, reason) => {
  const { code, errors } = await link("--branch-pattern", pattern);
  expect(code).not.toBe(0);
  expect(errors).toContain(reason);
  expect(errors.trim().split("\n")).toHaveLength(1);
  expect(await shown()).toBeNull();
});
