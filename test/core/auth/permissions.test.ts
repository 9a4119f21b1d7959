/** Admins, and that a sign-in link never gives more, or for longer, than its creator has. */
import { describe, expect, test } from "bun:test";
import { allScopes, type Role, roles, type Scope } from "../../../src/core/auth/scopes.ts";
import { signIn } from "../../../src/core/auth/session/session.ts";
import type { CreatedSignInLink } from "../../../src/core/auth/session/sign-in-link-schema.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import {
  cookieOf,
  csrfOf,
  loadForm,
  openLink,
  post,
  press,
  secretOf,
} from "../../support/browser/sign-in.ts";
import { dialects, link, must, openApp, type TestApp } from "../../support/harness.ts";

interface TestToken {
  scopes: readonly Scope[];
  role?: Role;
  projects?: string[];
}

/** The seven scopes of interface.md: those before budgets, webhooks and review policies. */
const sevenScopes = allScopes.filter((scope) => /^(feed|memory|assets):/.test(scope));

/** Whose tokens there are: each creates links, and each has a link created for it. */
const tokens = {
  admin: { scopes: allScopes, role: "admin" },
  "every-scope": { scopes: allScopes },
  "earlier-admin": { scopes: allScopes.filter((scope) => scope !== "webhooks:write"), role: "admin" },
  "but-one": { scopes: allScopes.filter((scope) => scope !== "webhooks:write") },
  "seven-scopes": { scopes: sevenScopes },
  "atlas-admin": { scopes: allScopes, role: "admin", projects: ["atlas"] },
  "atlas-scopes": { scopes: allScopes, projects: ["atlas"] },
  mara: { scopes: roles.reviewer.scopes, role: "reviewer" },
  dana: { scopes: roles.reviewer.scopes, projects: ["atlas"] },
} as const satisfies Record<string, TestToken>;
type Name = keyof typeof tokens;
const names = Object.keys(tokens) as Name[];

/** The only tokens that are admins, with those that they cannot create a link for. */
const admins: Partial<Record<Name, readonly Name[]>> = {
  admin: [],
  "every-scope": [],
  "earlier-admin": ["admin", "every-scope", "atlas-admin", "atlas-scopes"],
};

/** The acts of an admin. Each returns a status. */
interface Person {
  createLink(target: Name): Promise<number>;
  submitLink(target: Name): Promise<number>;
  /** The page of the tokens, or of one of them. */
  settings(target?: Name): Promise<Response>;
  shareAs(role: string): Promise<number>;
}

async function personOf(app: TestApp, token: string): Promise<Person> {
  const cookie = must(await signIn(app.ctx, token)).cookie.split(";")[0] ?? "";
  const form = await loadForm(app, cookie);
  return {
    async createLink(target) {
      return (await app.ask(`/api/v1/tokens/${target}/sign-in-links`, { method: "POST", token })).status;
    },
    submitLink: async (target) => (await post(app, `/settings/tokens/${target}/sign-in-link`, form)).status,
    settings: (target) =>
      app.ask(`/settings/tokens${target ? `/${target}` : ""}`, { headers: { cookie, accept: "text/html" } }),
    async shareAs(role) {
      const json = { recipient: "Ana at Harbor Ltd", role };
      return (await app.ask("/api/v1/projects/atlas/shares", { json, token })).status;
    },
  };
}

describe.each(dialects)("on %s", (dialect) => {
  test("only admins act as admins, and sign in nobody who may do what they may not", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const minted = new Map<Name, string>();
    for (const name of names)
      minted.set(name, await app.mint(tokens[name].scopes, { ...tokens[name], name } as object));
    for (const who of names) {
      const person = await personOf(app, must(minted.get(who)));
      const refused = admins[who];
      const settings = await person.settings();
      const page = await settings.text();
      expect([who, settings.status]).toEqual([who, refused ? 200 : 403]);
      // A role that is nobody's own.
      expect([who, await person.shareAs("design")]).toEqual([who, refused ? 201 : 400]);
      for (const target of names) {
        const isAllowed = refused !== undefined && !refused.includes(target);
        const seen = [await person.createLink(target), await person.submitLink(target)];
        expect([who, target, ...seen]).toEqual([who, target, ...(isAllowed ? [201, 200] : [403, 403])]);
        const form = `"/settings/tokens/${target}/sign-in-link"`;
        const hasForm = (await (await person.settings(target)).text()).includes(form);
        expect([who, target, hasForm]).toEqual([who, target, isAllowed]);
      }
      const seesWebhooks = new Set<Scope>(tokens[who].scopes).has("webhooks:write") && refused !== undefined;
      expect([who, page.includes('id="webhooks"')]).toEqual([who, seesWebhooks]);
    }
  });

  test("a session from a link ends with the tokens that created the link, and with theirs", async () => {
    await using app = await openApp(dialect);
    const tokenOf = (name: string, expires_at: number | null = null) =>
      app.mint(allScopes, { name, role: "admin", expires_at });
    const revoke = (name: string) =>
      app.ctx.data.atomically((writes) => writes.revokeToken(name, app.clock.now()));
    const [mara, dana] = ["mara", "dana"];
    await app.mint(roles.reviewer.scopes, { name: mara });
    await tokenOf(dana);
    const create = async (token: string, target: string) =>
      (await (
        await app.ask(`/api/v1/tokens/${target}/sign-in-links`, { method: "POST", token })
      ).json()) as CreatedSignInLink;
    const open = async (url: string) => cookieOf(await press(app, await openLink(app, url), secretOf(url)));
    const statusOf = async (cookie: string) => (await app.ask("/web/feed", { headers: { cookie } })).status;

    // Directly, and through a session of dana that a link of the first token opened.
    const first = await tokenOf("first");
    const direct = await open((await create(first, mara)).url);
    const asDana = await open((await create(first, dana)).url);
    const settings = await app.ask("/settings", { headers: { cookie: asDana, accept: "text/html" } });
    const form = { cookie: asDana, csrf: csrfOf(await settings.text()) };
    const shown = await (await post(app, `/settings/tokens/${mara}/sign-in-link`, form)).text();
    const chained = await open(must(/http:\/\/svc\.test\/sign-in\?link=[\w-]{22}/.exec(shown)?.[0]));
    const sessions = [direct, asDana, chained];
    expect(await Promise.all(sessions.map(statusOf))).toEqual([200, 200, 200]);
    await revoke("first");
    expect(await Promise.all(sessions.map(statusOf))).toEqual([401, 401, 401]);

    const soon = app.clock.now() + 10 * minuteMicros;
    const created = await create(await tokenOf("second", soon), mara);
    expect(Date.parse(created.expires_at) * 1_000).toBe(soon);
    const session = await open(created.url);
    expect(await statusOf(session)).toBe(200);
    app.clock.advance(10 * minuteMicros);
    expect(await statusOf(session)).toBe(401);
  });
});

test("a link of a token of the environment ends when it leaves the environment", async () => {
  const token = "an-environment-token";
  await using app = await openApp("sqlite", { SVC_API_TOKENS: `${token}:${allScopes.join(",")}` });
  await app.mint(roles.reviewer.scopes, { name: "mara" });
  const created = await app.ask("/api/v1/tokens/mara/sign-in-links", { method: "POST", token });
  const { url } = (await created.json()) as CreatedSignInLink;
  const cookie = cookieOf(await press(app, await openLink(app, url), secretOf(url)));
  const statusOf = async () => (await app.ask("/web/feed", { headers: { cookie } })).status;
  expect(await statusOf()).toBe(200);
  (app.ctx.config.tokens as Map<string, unknown>).clear();
  expect(await statusOf()).toBe(401);
});
