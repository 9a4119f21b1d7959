/** Sign-in links for the holder of a token: who creates them, what they grant, and what ends them. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { allScopes, roles } from "../../../src/core/auth/scopes.ts";
import { signInWithLink } from "../../../src/core/auth/session/sign-in-link.ts";
import type { CreatedSignInLink } from "../../../src/core/auth/session/sign-in-link-schema.ts";
import { fromMicros, minuteMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { cookieOf, csrfOf, openLink, post, press, secretOf } from "../../support/browser/sign-in.ts";
import { dialects, link, must, openApp, rowsOf, type TestApp } from "../../support/harness.ts";

const html = { accept: "text/html" };
const invalid = "This sign-in link was already used, has expired, or was revoked.";
const hourMicros = 60 * minuteMicros;

/** A deployment with the token of an admin, and that of dana, who reviews in one project. */
async function openTeam(dialect: (typeof dialects)[number]) {
  const app = await openApp(dialect);
  await link(app.ctx.data, "atlas");
  const admin = await app.mint(allScopes, { name: "admin" });
  const scopes = ["feed:read", "memory:read", "assets:read", "assets:write", "assets:review"] as const;
  await app.mint(scopes, { name: "dana", projects: ["atlas"] });
  const create = (name = "dana", token = admin) =>
    app.ask(`/api/v1/tokens/${name}/sign-in-links`, { method: "POST", token });
  return {
    ...{ app, admin, create },
    newLink: async () => ((await (await create()).json()) as CreatedSignInLink).url,
    revoke: (name: string) => app.ctx.data.atomically((writes) => writes.revokeToken(name, app.clock.now())),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** The status of a page that every token of the team reads. */
const statusOf = async (app: TestApp, cookie: string) =>
  (await app.ask("/web/feed", { headers: { cookie } })).status;

const detailOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { detail: string }).detail,
];

describe.each(dialects)("a sign-in link for a token on %s", (dialect) => {
  test("signs in with exactly the permissions of the token, and says so before", async () => {
    await using team = await openTeam(dialect);
    const { app } = team;
    const created = await team.create();
    const { name, url, expires_at } = (await created.json()) as CreatedSignInLink;
    expect([created.status, name, expires_at]).toEqual([
      ...[201, "dana", fromMicros(app.clock.now() + 24 * hourMicros)],
    ]);
    const page = await openLink(app, url);
    for (const text of ["Sign in as dana", "the role reviewer, in the project atlas"])
      expect(page.text).toContain(text);
    const cookie = cookieOf(await press(app, page, secretOf(url)));
    const [session] = await rowsOf(
      app.url,
      "select s.actor, t.name from sessions s join tokens t on t.hash = s.token",
    );
    expect(session).toEqual({ actor: "human:dana", name: "dana" });
    expect((await openLink(app, url, cookie)).text).toContain("You are signed in already.");
    const pages = ["/assets", "/settings/tokens"].map((path) =>
      app.ask(path, { headers: { ...html, cookie } }),
    );
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 403]);
    await app.ctx.audit.close();
    const audit = await rowsOf(
      app.url,
      "select who, via, what, target from audit where status < 300 order by id",
    );
    expect(audit).toEqual([
      ...[{ who: "admin", via: "api", what: "createSignInLink", target: "dana" }],
      ...[{ who: "dana", via: "session", what: "signIn", target: "link from admin" }],
    ]);
    expect(JSON.stringify([audit, app.logged])).not.toContain(secretOf(url));
  });

  test("is created by admins only, for a token that is valid", async () => {
    await using team = await openTeam(dialect);
    const { app, create } = team;
    await app.mint(["feed:read"], { name: "left" });
    await team.revoke("left");
    const others = [
      await app.mint(allScopes, { name: "in-project", projects: ["atlas"] }),
      await app.mint(["feed:read", "assets:review"]),
    ];
    for (const token of others)
      expect(await detailOf(await create("dana", token))).toEqual([
        ...[403, "This is for admins. Use a token with the role admin."],
      ]);
    expect(await detailOf(await create("nobody"))).toEqual([
      404,
      'No token "nobody". See svc token list, or create it on the machine that holds the database: ' +
        "svc token create nobody --role reviewer",
    ]);
    expect(await detailOf(await create("left"))).toEqual([
      ...[404, 'The token "left" was revoked or has expired. Create one with another name.'],
    ]);
    expect((await create("dana", "unknown")).status).toBe(401);
    expect((await create("Dana")).status).toBe(400);
    expect(await rowsOf(app.url, "select * from sign_in_links")).toEqual([]);
  });

  test("opens one session when two nodes get it at the same time", async () => {
    await using team = await openTeam(dialect);
    const { app } = team;
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    const secret = secretOf(await team.newLink());
    const nodes = [app.ctx, { ...app.ctx, data: other }];
    const attempts = Array.from({ length: 6 }, (_, at) => signInWithLink(must(nodes[at % 2]), secret));
    const opened = (await Promise.all(attempts)).filter((signed) => signed !== null);
    await other.close();
    expect(opened.map(({ caller }) => [caller.name, caller.actor])).toEqual([["dana", "human:dana"]]);
  });

  test("ends after a day, with its token, and with svc open --revoke", async () => {
    await using team = await openTeam(dialect);
    const { app } = team;
    const isValid = async (url: string) => (await openLink(app, url)).status === 200;
    const late = await team.newLink();
    app.clock.advance(24 * hourMicros - secondMicros);
    expect(await isValid(late)).toBe(true);
    app.clock.advance(secondMicros);
    expect(await isValid(late)).toBe(false);

    const open = async () => {
      const url = await team.newLink();
      return cookieOf(await press(app, await openLink(app, url), secretOf(url)));
    };
    const [cookie, unused] = [await open(), await team.newLink()];
    expect([await statusOf(app, cookie), await isValid(unused)]).toEqual([200, true]);
    await app.ctx.data.atomically((writes) => writes.removeLinkSessions());
    expect([await statusOf(app, cookie), await isValid(unused)]).toEqual([401, false]);

    const [second, third] = [await open(), await team.newLink()];
    await team.revoke("dana");
    expect([await statusOf(app, second), await isValid(third)]).toEqual([401, false]);
  });

  test("is refused once its token is revoked, also between the page and its button", async () => {
    await using team = await openTeam(dialect);
    const { app } = team;
    const url = await team.newLink();
    const form = await openLink(app, url);
    await team.revoke("dana");
    const pressed = await press(app, form, secretOf(url));
    expect([pressed.status, (await pressed.text()).includes(invalid)]).toEqual([401, true]);
    expect(await rowsOf(app.url, "select * from sessions")).toEqual([]);
  });
});

test("the page of a token creates a link for a person, and shows it once", async () => {
  await using team = await openTeam("sqlite");
  const { app } = team;
  await app.mint([...roles.ci.scopes], { name: "pipeline" });
  await app.mint(allScopes, { name: "mara" });
  const url = ((await (await team.create("mara")).json()) as CreatedSignInLink).url;
  const cookie = cookieOf(await press(app, await openLink(app, url), secretOf(url)));
  const pageOf = async (name: string) =>
    (await app.ask(`/settings/tokens/${name}`, { headers: { ...html, cookie } })).text();
  const settings = await pageOf("dana");
  expect(settings).toContain('action="/settings/tokens/dana/sign-in-link"');
  expect(await pageOf("pipeline")).not.toContain("sign-in-link");
  const form = { cookie, csrf: csrfOf(settings) };
  const created = await post(app, "/settings/tokens/dana/sign-in-link", form);
  const shown = /http:\/\/svc\.test\/sign-in\?link=[\w-]{22}/.exec(await created.text())?.[0];
  expect([created.status, (await openLink(app, must(shown))).text.includes("Sign in as dana")]).toEqual([
    200,
    true,
  ]);
});
