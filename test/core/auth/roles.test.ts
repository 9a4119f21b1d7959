/** Roles: what they grant, and that error messages suggest roles that suffice. */
import { describe, expect, test } from "bun:test";
import { documentedOperations, toolOperations } from "../../../src/api/operations/index.ts";
import { listSkills } from "../../../src/api/well-known/skills.ts";
import { allRoles, allScopes, roleOf, roles, rolesWith } from "../../../src/core/auth/scopes.ts";
import { readConfig } from "../../../src/core/config.ts";
import { linkIn, migratedDatabase, must, openApp, program } from "../../support/harness.ts";

test("a role is recognized by its scopes in any order, and by no other set", () => {
  for (const role of allRoles) expect(roleOf(roles[role].scopes.toReversed())).toBe(role);
  expect([roleOf([]), roleOf(["feed:read"]), roleOf([...roles.ci.scopes, "memory:read"])]).toEqual([
    null,
    null,
    null,
  ]);
});

test("an admin's token from before a scope that another scope grants is still an admin's", () => {
  expect(roleOf(allScopes.filter((scope) => scope !== "telemetry:write"))).toBe("admin");
  expect(roleOf(["telemetry:write"])).toBe("telemetry");
});

test("no agent and no pipeline can review, and only an admin has every scope", () => {
  expect(allRoles.filter((role) => new Set<string>(roles[role].scopes).has("assets:review"))).toEqual([
    "reviewer",
    "admin",
  ]);
  expect(allRoles.filter((role) => roles[role].scopes.length === allScopes.length)).toEqual(["admin"]);
});

test("messages name the roles with a scope", () => {
  expect(allScopes.map(rolesWith)).toEqual([
    "any role except telemetry",
    "the role ci, agent, or admin",
    "the role reader, reviewer, agent, or admin",
    "any role except telemetry",
    "the role agent or admin",
    "any role except telemetry",
    "the role reviewer, ci, agent, or admin",
    "the role reviewer or admin",
    "the role admin",
    "the role admin",
    "the role telemetry, ci, agent, or admin",
    "the role admin",
  ]);
});

test("the skills and the steps of an agent need no tool or scope beyond the role agent", () => {
  const granted = new Set<string>([...roles.agent.scopes, "public"]);
  const config = readConfig({});
  const texts = listSkills(config).map(({ text }) => text);
  const tools = new Set(texts.flatMap((text) => text.match(/\bsvc_[a-z_]+\b/g) ?? []));
  const scopes = texts.flatMap((text) => text.match(/\b(feed|memory|assets):\w+/g) ?? []);
  expect([tools.size > 5, scopes.length > 1]).toEqual([true, true]);
  for (const name of tools) {
    const { scope } = must(toolOperations.find(({ tool }) => tool.name === name));
    expect([name, granted.has(scope)]).toEqual([name, true]);
  }
  for (const scope of scopes) expect([scope, granted.has(scope)]).toEqual([scope, true]);
});

describe("a 403", () => {
  test("names only roles with which the same request is allowed", async () => {
    await using app = await openApp("sqlite");
    const narrow = { read: await app.mint(["feed:write"]), other: await app.mint(["feed:read"]) };
    const tokens = new Map<string, string>();
    for (const role of allRoles) tokens.set(role, await app.mint(roles[role].scopes));
    for (const { http, scope } of documentedOperations(app.ctx)) {
      if (scope === "public" || http.stream) continue;
      const token = scope === "feed:write" ? narrow.other : narrow.read;
      const path = `/api/v1${http.path.replace(/\{\w+\}/g, "none")}`;
      const request = (token: string) =>
        app.ask(path, { method: http.method, token, ...(http.method !== "GET" && { json: {} }) });
      const refused = await request(token);
      const { detail } = (await refused.json()) as { detail: string };
      const hint = must(
        /Ask an admin for a token with (any role except telemetry|the role (.+))\.$/.exec(detail),
      );
      const named = hint[2]?.split(/, or |, | or /) ?? allRoles.filter((role) => role !== "telemetry");
      expect([path, refused.status, named.length > 0]).toEqual([path, 403, true]);
      for (const role of named)
        expect([path, role, (await request(must(tokens.get(role)))).status]).not.toEqual([path, role, 403]);
    }
  });
});

test("svc token create --role creates a token with its scopes, and svc token list shows the role", async () => {
  await using database = await migratedDatabase("sqlite");
  const env = { SVC_DATABASE_URL: database.url };
  await linkIn(database);
  const { output, errors } = await program(["token", "create", "mara", "--role", "reviewer"], env);
  expect(output).toMatch(/^svc_\w{40}\n$/);
  expect(errors).toBe(
    'Created token "mara" (role reviewer: feed:read, memory:read, assets:read, assets:write, assets:review). ' +
      "Copy it now; it won't be shown again. Sign in with it at http://127.0.0.1:8787/sign-in, or with a " +
      "link: svc open --for mara.\n",
  );
  await program(["token", "create", "odd", "--scopes", "feed:read,feed:write"], env);
  const listed = (await program(["token", "list"], env)).output;
  expect(listed).toMatch(/^NAME +ROLE OR SCOPES +PROJECTS/);
  expect(listed).toMatch(/^mara +reviewer +all/m);
  expect(listed).toMatch(/^odd +feed:read,feed:write +all/m);
  const rows = (await program(["token", "list", "--json"], env)).output.trim().split("\n");
  expect(
    rows.map((row) => JSON.parse(row) as { name: string; role: string; scopes: string[] }),
  ).toMatchObject([
    { name: "mara", role: "reviewer", scopes: roles.reviewer.scopes },
    { name: "odd", role: null, scopes: ["feed:read", "feed:write"] },
  ]);
});
