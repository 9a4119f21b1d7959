/** Sessions that a link opened: how long they last, and what follows one that has expired. */
import { describe, expect, test } from "bun:test";
import { retentions, trimRows } from "../../../src/api/retention.ts";
import { allRoles, type Role, roles } from "../../../src/core/auth/scopes.ts";
import type { CreatedSignInLink } from "../../../src/core/auth/session/sign-in-link-schema.ts";
import { dayMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import { cookieOf, openLink, press, secretOf } from "../../support/browser/sign-in.ts";
import { type Dialect, dialects, must, openApp } from "../../support/harness.ts";

const hourMicros = 60 * minuteMicros;

/** The app, and the session of `bea` in a role, opened by a link of the admin `ana`. */
async function openSession(dialect: Dialect, role: Role) {
  const app = await openApp(dialect);
  const admin = await app.mint(roles.admin.scopes, { name: "ana" });
  await app.mint(roles[role].scopes, { name: "bea" });
  const created = await app.ask("/api/v1/tokens/bea/sign-in-links", { method: "POST", token: admin });
  const link = ((await created.json()) as CreatedSignInLink).url;
  const form = await openLink(app, link);
  const signedIn = await press(app, form, secretOf(link));
  const cookie = cookieOf(signedIn);
  const textOf = async (path: string) =>
    (await app.ask(path, { headers: { cookie, accept: "text/html" } })).text();
  const isSignedIn = async () => (await textOf("/methodology")).includes("Sign out");
  /** The page that a visitor with the expired session gets. */
  const signInText = () => textOf("/");
  return {
    app,
    text: form.text,
    maxAge: Number(/Max-Age=(\d+)/.exec(must(signedIn.headers.get("set-cookie")))?.[1]),
    isSignedIn,
    signInText,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

describe.each(dialects)("a session opened by a link on %s", (dialect) => {
  test("lasts 30 days from its last use for a reviewer or reader, and 12 hours for others", async () => {
    for (const role of allRoles.filter((one) => one !== "telemetry")) {
      await using session = await openSession(dialect, role);
      const { app, isSignedIn } = session;
      const isLong = role === "reviewer" || role === "reader";
      expect([role, session.text.includes("have not been here for 30 days")]).toEqual([role, isLong]);
      expect([role, session.maxAge]).toEqual([role, isLong ? 400 * 86_400 : 12 * 3_600]);
      app.clock.advance(12 * hourMicros - 1);
      expect([role, await isSignedIn()]).toEqual([role, true]);
      app.clock.advance(1);
      expect([role, await isSignedIn()]).toEqual([role, isLong]);
      if (!isLong) continue;
      for (let visit = 0; visit < 3; visit++) {
        app.clock.advance(28 * dayMicros);
        expect([role, await isSignedIn()]).toEqual([role, true]);
      }
      app.clock.advance(30 * dayMicros);
      expect([role, await isSignedIn()]).toEqual([role, false]);
    }
  });

  test("that has expired names who to ask for a new link, until its token is revoked", async () => {
    await using session = await openSession(dialect, "reviewer");
    const { app, signInText } = session;
    app.clock.advance(31 * dayMicros);
    expect(await trimRows(app.ctx, retentions["session cleanup"])).toBe(0);
    const page = await signInText();
    expect(page).toContain("Your session has expired, bea. For a new sign-in link, ask <b>ana</b>");
    expect(page).toContain("<code>svc open --for bea</code>");
    await app.ctx.data.atomically((writes) => writes.revokeToken("bea", app.clock.now()));
    expect(await signInText()).not.toMatch(/bea|ana/);
    app.clock.advance(90 * dayMicros);
    expect(await trimRows(app.ctx, retentions["session cleanup"])).toBe(1);
    expect(await signInText()).not.toContain("expired");
  });
});
