/** `svc token rotate --all`, `activity` and `signing-secret`: what to do when a token leaked. */
import { describe, expect, test } from "bun:test";
import { allScopes, roles } from "../../src/core/auth/scopes.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import { isValidSignature, signExpiry } from "../../src/library/assets/files/signed-urls.ts";
import { command } from "../support/commands/command.ts";
import { dialects, rowsOf } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

describe.each(dialects)("on %s", (dialect) => {
  test("all tokens are rotated together, each with an audit entry; old secrets work during the grace", async () => {
    await using library = await openLibrary(dialect, "disk");
    const env = { SVC_DATABASE_URL: library.url };
    const old = await library.mint(["feed:read"], { name: "old" });
    await command(["token", "create", "gone", "--role", "reader"], env);
    await command(["token", "revoke", "gone"], env);
    expect((await command(["token", "rotate"], env)).code).toBe(2);
    const { output, errors } = await command(["token", "rotate", "--all", "--grace", "1h"], env);
    const fresh = Object.fromEntries(
      output
        .trim()
        .split("\n")
        .map((line) => line.split(" ") as [string, string]),
    );
    expect([Object.keys(fresh).sort(), errors]).toEqual([
      ["old", "tester"],
      expect.stringContaining("Rotated 2 tokens."),
    ]);
    const statusOf = async (token = "") => (await library.ask("/api/v1/feed", { token })).status;
    expect([await statusOf(old), await statusOf(fresh.old)]).toEqual([200, 200]);
    library.clock.advance(3_700_000_000);
    expect([await statusOf(old), await statusOf(fresh.old)]).toEqual([401, 200]);
    const audit = await library.ctx.data.audit({ what: ["token rotate"], limit: 9 });
    const done = audit.filter(({ status }) => status === 200).map(({ target }) => target);
    expect(done.toSorted()).toEqual(["old", "tester"]);
  });

  test("the activity of a token sums up its requests, refused ones too, and its events", async () => {
    await using library = await openLibrary(dialect, "disk");
    const env = { SVC_DATABASE_URL: library.url };
    for (const bytes of ["one", "two"])
      await library.upload({ project: "atlas" }, new File([bytes], `${bytes}.txt`));
    expect((await library.say("/events", { json: { events: [] } })).status).toBe(403);
    await library.ctx.audit.close();
    const { output } = await command(["token", "activity", "tester", "--since", "1d", "--json"], env);
    const lines = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ from: "audit", what: "uploadAsset", count: 2 }));
    expect(lines).toContainEqual(expect.objectContaining({ from: "feed", what: "asset.uploaded", count: 2 }));
    expect(lines).toContainEqual(expect.objectContaining({ what: "appendEvents, refused with 403" }));
  });
});

test("an admin runs what prints no secret against a server, each with its audit entry", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const boss = await library.mint(allScopes, { name: "boss" });
  const ana = await library.mint(roles.reviewer.scopes, { name: "ana" });
  const svc = (words: string, token = boss) =>
    command([...words.split(" "), "--server", library.listen()], { SVC_TOKEN: token });
  expect((await svc("token list")).output).toMatch(/^ana +reviewer +all/m);
  expect((await svc("token review-role ana legal")).code).toBe(0);
  expect((await svc("project link boats --repo acme/boats")).errors).toStartWith('Linked project "boats"');
  expect((await svc("token revoke ana", ana)).errors).toContain("This is for admins.");
  expect((await svc("token revoke ana")).errors).toStartWith('Revoked token "ana" on http://');
  expect((await library.say("/assets", { token: ana })).status).toBe(401);
  const { output } = await svc("audit --token boss");
  for (const entry of ["setTokenReviewRole +ana", "linkProject +boats", "revokeToken +ana"])
    expect(output).toMatch(new RegExp(`boss +api +${entry} +ok`));
  for (const words of ["token create x --role ci", "token rotate ana"])
    expect([words, await svc(words)]).toMatchObject([
      words,
      { code: 2, errors: expect.stringContaining("prints a secret of the database, so it only runs on") },
    ]);
});

test("the signing secret is replaced, unless the environment has it", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const env = { SVC_DATABASE_URL: library.url };
  const secret = () => rowsOf(library.url, "select value from settings where name = 'signing_secret'");
  await command(["token", "signing-secret", "--yes"], env);
  const before = await secret();
  expect((await command(["token", "signing-secret", "--yes"], env)).code).toBe(0);
  const replaced = await secret();
  expect([before.length, replaced]).not.toEqual([1, before]);
  expect((await command(["token", "signing-secret", "--yes", "--grace", "8d"], env)).code).toBe(2);
  expect((await command(["token", "signing-secret", "--yes", "--grace", "1h"], env)).code).toBe(0);
  const [former] = await rowsOf(
    library.url,
    "select value from settings where name = 'former_signing_secret'",
  );
  expect(JSON.parse(String(former?.value)).secret).toBe(replaced[0]?.value);
  const set = { ...env, SVC_SIGNING_SECRET: "a secret of thirty-two characters" };
  expect((await command(["token", "signing-secret", "--yes"], set)).code).toBe(2);
});

test("what the former signing secret signed is valid during the grace; nothing else is", () => {
  const now = secondMicros;
  const signed = signExpiry("former", "view", "01JZ8Q4W7N5V2M3X6K9T0R1B2C", 9_000);
  const isValid = (secret: string, until: number) =>
    isValidSignature(
      { secret: "current", formerSecret: { secret, until }, now: () => now },
      "view",
      "01JZ8Q4W7N5V2M3X6K9T0R1B2C",
      signed,
    );
  expect([isValid("former", now + 1), isValid("former", now), isValid("other", now + 1)]).toEqual([
    true,
    false,
    false,
  ]);
});
