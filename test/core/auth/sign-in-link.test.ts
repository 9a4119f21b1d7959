/** One-time sign-in links: what they grant, that they work once, and where their secret never appears. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { hasSignedIn } from "../../../src/core/auth/session/session.ts";
import { createSignInLink, signInWithLink } from "../../../src/core/auth/session/sign-in-link.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { withAuditRow } from "../../../src/feed/audit-row.ts";
import { cookieOf, openLink, press, secretOf } from "../../support/browser/sign-in.ts";
import { dialects, must, openApp, rowsOf, type TestApp } from "../../support/harness.ts";
import { pathOf } from "../../support/library.ts";

const minuteMicros = 60 * secondMicros;
const site = "http://svc.test";
const html = { accept: "text/html" };
const expired = "This sign-in link was already used, has expired, or was revoked.";

const action = {
  ...{ who: "human:mara", via: "cli" as const, what: "open", project: null },
  ...{ target: null, address: null, request: null },
};
const newLink = (app: TestApp): Promise<string> =>
  createSignInLink(withAuditRow(app.ctx, action), "human:mara");

describe.each(dialects)("a sign-in link on %s", (dialect) => {
  test("shows a page that names the user, and signs in with every scope when its button is pressed", async () => {
    await using app = await openApp(dialect);
    const link = await newLink(app);
    const page = await openLink(app, link);
    expect([page.status, page.text.includes("Sign in as mara")]).toEqual([200, true]);
    const signed = await press(app, page, secretOf(link));
    expect([signed.status, signed.headers.get("location")]).toEqual([303, "/projects"]);
    const headers = { ...html, cookie: cookieOf(signed) };
    for (const path of ["/", "/projects", "/assets"])
      expect([path, (await app.ask(path, { headers })).status]).toEqual([path, 200]);
    expect(await (await app.ask("/", { headers })).text()).toContain('<span class="who">mara</span>');
    const [session] = await rowsOf(app.url, "select actor, token from sessions");
    expect(session).toEqual({ actor: "human:mara", token: null });
    const caller = await signInWithLink(app.ctx, secretOf(await newLink(app)));
    expect([...must(caller).caller.scopes]).toEqual(allScopes);
  });

  test("is not used up by requests that only fetch it, however often", async () => {
    await using app = await openApp(dialect);
    const link = await newLink(app);
    for (const method of ["GET", "HEAD", "GET"])
      expect((await app.ask(pathOf(link), { method, headers: html })).status).toBe(200);
    expect(await rowsOf(app.url, "select * from sessions")).toEqual([]);
    expect((await press(app, await openLink(app, link), secretOf(link))).status).toBe(303);
  });

  test("works once, also when two nodes get it at the same time", async () => {
    await using app = await openApp(dialect);
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    const secret = secretOf(await newLink(app));
    const nodes = [app.ctx, { ...app.ctx, data: other }];
    const attempts = Array.from({ length: 10 }, (_, at) => signInWithLink(must(nodes[at % 2]), secret));
    const opened = (await Promise.all(attempts)).filter((signed) => signed !== null);
    await other.close();
    expect(opened.length).toBe(1);
    expect((await rowsOf(app.url, "select * from sessions")).length).toBe(1);
  });

  test("shows what to run once it was used, has expired, or is not one of this deployment", async () => {
    await using app = await openApp(dialect);
    const [used, late] = [await newLink(app), await newLink(app)];
    const form = await openLink(app, used);
    expect((await press(app, form, secretOf(used))).status).toBe(303);
    app.clock.advance(15 * minuteMicros);
    const other = `${site}/sign-in?link=${"A".repeat(22)}`;
    for (const link of [used, late, other, `${site}/sign-in?link=`, `${site}/sign-in?link=%00`]) {
      const page = await openLink(app, link);
      expect([page.status, page.text.includes(expired)]).toEqual([401, true]);
      const pressed = await press(app, form, secretOf(link));
      expect([pressed.status, (await pressed.text()).includes(expired)]).toEqual([401, true]);
    }
  });

  test("works until its last second", async () => {
    await using app = await openApp(dialect);
    const link = await newLink(app);
    app.clock.advance(15 * minuteMicros - secondMicros);
    expect((await press(app, await openLink(app, link), secretOf(link))).status).toBe(303);
  });

  test("opens no session for another site, without a CSRF token, or by its URL alone", async () => {
    await using app = await openApp(dialect);
    const link = await newLink(app);
    const form = await openLink(app, link);
    const evil = { headers: { origin: "https://evil.example" } };
    const attempts = [
      press(app, form, secretOf(link), evil),
      press(app, { ...form, csrf: "" }, secretOf(link)),
      press(app, { ...form, cookie: "" }, secretOf(link)),
      app.ask(pathOf(link), { method: "POST", headers: { ...html, origin: site }, body: "" }),
    ];
    for (const response of await Promise.all(attempts)) expect([403, 415]).toContain(response.status);
    expect(await rowsOf(app.url, "select * from sessions")).toEqual([]);
    expect((await press(app, form, secretOf(link))).status).toBe(303);
  });

  test("is stored as a hash, audited when made and when used, and never logged", async () => {
    await using app = await openApp(dialect);
    const link = await newLink(app);
    const rows = await rowsOf(app.url, "select * from sign_in_links");
    expect(rows.length).toBe(1);
    const form = await openLink(app, link);
    await press(app, form, secretOf(link));
    const refused = await press(app, form, secretOf(link));
    expect(await refused.text()).not.toContain(secretOf(link));
    await app.ctx.audit.close();
    const audit = await rowsOf(app.url, "select who, via, what, target, status from audit order by id");
    expect(audit).toEqual([
      { who: "human:mara", via: "cli", what: "open", target: null, status: expect.anything() },
      { who: "human:mara", via: "session", what: "signIn", target: "link", status: expect.anything() },
      { who: null, via: "session", what: "signIn", target: null, status: expect.anything() },
    ]);
    expect(audit.map(({ status }) => Number(status))).toEqual([200, 200, 401]);
    expect(JSON.stringify([rows, app.logged, audit])).not.toContain(secretOf(link));
    expect(await rowsOf(app.url, "select * from sign_in_links")).toEqual([]);
  });

  test("counts as a failed sign-in when it is not valid", async () => {
    await using app = await openApp(dialect, { SVC_RATE_LIMIT: "60/60" });
    const link = await newLink(app);
    const form = await openLink(app, link);
    const wrong = "B".repeat(22);
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++) statuses.push((await press(app, form, wrong)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await press(app, form, secretOf(link))).status).toBe(429);
    expect((await press(app, form, secretOf(link), { address: "192.0.2.9" })).status).toBe(303);
  });

  test("opens a session that ends on sign-out, after twelve hours, and when link sessions are removed", async () => {
    await using app = await openApp(dialect);
    const open = async () =>
      `svc_session=${must(/=([^;]+)/.exec(must(await signInWithLink(app.ctx, secretOf(await newLink(app)))).cookie)?.[1])}`;
    const status = async (cookie: string) => (await app.ask("/web/feed", { headers: { cookie } })).status;
    const [left, late] = [await open(), await open()];
    const csrf = must(
      /name="csrf" value="([^"]+)"/.exec(
        await (await app.ask("/", { headers: { ...html, cookie: left } })).text(),
      )?.[1],
    );
    const body = new URLSearchParams({ csrf });
    const headers = { origin: site, cookie: left, "content-type": "application/x-www-form-urlencoded" };
    expect((await app.ask("/sign-out", { method: "POST", body, headers })).status).toBe(303);
    expect([await status(left), await status(late)]).toEqual([401, 200]);
    app.clock.advance(12 * 60 * minuteMicros);
    expect(await status(late)).toBe(401);
    const removed = await open();
    const unused = await newLink(app);
    expect(await app.ctx.data.atomically((writes) => writes.removeLinkSessions())).toBeGreaterThan(0);
    expect(await status(removed)).toBe(401);
    expect((await openLink(app, unused)).status).toBe(401);
  });

  test("replaces the session of the same browser", async () => {
    await using app = await openApp(dialect);
    const first = await press(app, await openLink(app, await newLink(app)), "");
    expect(first.status).toBe(401);
    const link = await newLink(app);
    const cookie = cookieOf(await press(app, await openLink(app, link), secretOf(link)));
    const again = await newLink(app);
    expect((await press(app, await openLink(app, again, cookie), secretOf(again))).status).toBe(303);
    expect((await rowsOf(app.url, "select * from sessions")).length).toBe(1);
  });

  test("is not in a backup", async () => {
    await using app = await openApp(dialect);
    await newLink(app);
    const tables = await app.ctx.data.snapshot(async (rows) => rows.tables);
    expect(tables).not.toContain("sign_in_links");
  });

  test("remembers that someone has signed in, with a link or with a token", async () => {
    await using app = await openApp(dialect);
    expect(await hasSignedIn(app.ctx)).toBe(false);
    const link = await newLink(app);
    await openLink(app, link);
    expect(await hasSignedIn(app.ctx)).toBe(false);
    await signInWithLink(app.ctx, secretOf(link));
    expect(await hasSignedIn(app.ctx)).toBe(true);
  });
});
