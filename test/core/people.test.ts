/** People: an admin keeps who they are, by which emails and logins they are known, and which tokens are theirs. */
import { describe, expect, test } from "bun:test";
import { callerFrom } from "../../src/core/auth/authentication.ts";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { dialects, openApp, rowsOf, type TestApp } from "../support/harness.ts";

async function openPeople(dialect: (typeof dialects)[number]) {
  const app = await openApp(dialect);
  const admin = await app.mint(allScopes, { name: "admin" });
  const send = async (method: string, path: string, json?: object): Promise<[number, unknown]> => {
    const init = { method, token: admin, ...(json && { json }) };
    const answer = await app.ask(`/api/v1/people${path}`, init);
    return [answer.status, await answer.json()];
  };
  return { app, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Whose work a request with this token does. */
const ownerOf = async ({ ctx, clock }: TestApp, token: string) => {
  const { person, team } = await callerFrom(`Bearer ${token}`, ctx.config, ctx.data, clock.now());
  return { person, team };
};

describe.each(dialects)("people on %s", (dialect) => {
  test("are added, changed and listed, each with their identities in lower case", async () => {
    await using people = await openPeople(dialect);
    const dana = { id: "dana", name: "Dana Kim", team: "maps", active: true };
    const link = ["email:Dana@Example.com", "github:dana-k"];
    const [status, added] = await people.send("PUT", "/dana", { name: "Dana Kim", team: "maps", link });
    expect([status, added]).toMatchObject([
      ...[200, { ...dana, identities: ["email:dana@example.com", "github:dana-k"] }],
    ]);
    await people.send("PUT", "/ben");
    const [, moved] = await people.send("PUT", "/dana", { team: "platform", unlink: ["github:Dana-K"] });
    expect(moved).toMatchObject({ ...dana, team: "platform", identities: ["email:dana@example.com"] });
    const [, listed] = await people.send("GET", "");
    expect(listed).toMatchObject({
      people: [{ id: "ben", name: null, team: null, identities: [] }, moved as object],
    });
  });

  test("never share an identity", async () => {
    await using people = await openPeople(dialect);
    await people.send("PUT", "/dana", { link: ["gitlab:maps"] });
    expect(await people.send("PUT", "/ben", { link: ["gitlab:Maps"] })).toMatchObject([
      409,
      { detail: "gitlab:maps belongs to dana. First unlink it: svc person unlink dana." },
    ]);
    expect((await people.app.ctx.data.person("ben")) ?? null).toBeNull();
  });

  test("that are removed have no identities and no work of tokens, until they are added again", async () => {
    await using people = await openPeople(dialect);
    const { app, send } = people;
    await send("PUT", "/dana", { team: "maps", link: ["email:dana@example.com"] });
    const token = await app.mint(["feed:write"], { name: "dana-laptop", owner: "dana" });
    const lent = await app.mint(["feed:write"], { name: "lent", owner: "dana", team: "data" });
    expect(await ownerOf(app, token)).toEqual({ person: "dana", team: "maps" });
    expect(await ownerOf(app, lent)).toEqual({ person: "dana", team: "data" });
    expect(await app.ctx.data.personsOf(["email:dana@example.com", "email:x@example.com"])).toEqual(
      new Map([["email:dana@example.com", { person: "dana", team: "maps" }]]),
    );
    expect(await send("POST", "/dana/remove")).toMatchObject([200, { active: false, identities: [] }]);
    expect((await send("POST", "/dana/remove"))[0]).toBe(404);
    expect((await ownerOf(app, token)).person).toBeUndefined();
    expect((await app.ctx.data.personsOf(["email:dana@example.com"])).size).toBe(0);
    await send("PUT", "/dana");
    expect(await ownerOf(app, token)).toEqual({ person: "dana", team: "maps" });
    await app.ctx.audit.close();
    expect(await rowsOf(app.url, "select what, target from audit where status = 200 order by id")).toEqual([
      ...[{ what: "setPerson", target: "dana" }],
      ...[{ what: "removePerson", target: "dana" }],
      ...[{ what: "setPerson", target: "dana" }],
    ]);
  });
});
