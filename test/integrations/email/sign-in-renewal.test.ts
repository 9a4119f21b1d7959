/** A new sign-in link by mail, for someone whose session has expired. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { roles } from "../../../src/core/auth/scopes.ts";
import type { CreatedSignInLink } from "../../../src/core/auth/session/sign-in-link-schema.ts";
import { hashToken } from "../../../src/core/auth/token.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { mailNewLink } from "../../../src/integrations/email/sign-in-renewal.ts";
import {
  cookieOf,
  csrfOf,
  loadForm,
  openLink,
  post,
  press,
  secretOf,
} from "../../support/browser/sign-in.ts";
import { type Dialect, dialects, link, must, openApp, rowsOf } from "../../support/harness.ts";
import { openSmtpServer } from "../../support/servers/smtp-server.ts";

const address = "dana@example.com";
const button = "Send a new link to d…@example.com";
const answer = "If your session can be renewed, a new sign-in link is on its way by mail.";

/** The app with a mail server, and the expired session of `dana` in one project, by a link of `ana`. */
async function openExpired(dialect: Dialect, { hasMail = true, email = address as string | null } = {}) {
  const smtp = await openSmtpServer();
  const env = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: "svc <svc@svc.test>" };
  const app = await openApp(dialect, hasMail ? env : {});
  await link(app.ctx.data, "atlas");
  const admin = await app.mint(roles.admin.scopes, { name: "ana" });
  await app.mint(roles.reviewer.scopes, { name: "dana", projects: ["atlas"] });
  const create = { method: "POST", token: admin, ...(email !== null && { json: { email } }) };
  const created = await app.ask("/api/v1/tokens/dana/sign-in-links", create);
  /** Opens a link in a browser that has the cookie `before`. */
  async function follow(url: string, before = ""): Promise<string> {
    const form = await openLink(app, url, before);
    return cookieOf(await press(app, { ...form, cookie: `${before}; ${form.cookie}` }, secretOf(url)));
  }
  const cookie = await follow(((await created.json()) as CreatedSignInLink).url);
  app.clock.advance(31 * dayMicros);
  const pageOf = async (path: string, session = cookie) =>
    (await app.ask(path, { headers: { cookie: session, accept: "text/html" } })).text();
  return {
    app,
    smtp,
    cookie,
    follow,
    pageOf,
    async renew() {
      const form = await loadForm(app, cookie);
      const response = await post(app, "/sign-in/renew", { ...form, cookie: `${cookie}; ${form.cookie}` });
      return { status: response.status, text: await response.text() };
    },
    /** The URL in the newest mail. */
    mailedLink: () =>
      must(/http:\/\/svc.test\/sign-in\S+/.exec(must(smtp.mails.at(-1)).parsed.text ?? ""))[0],
    revoke: (name: string) => app.ctx.data.atomically((writes) => writes.revokeToken(name, app.clock.now())),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    },
  };
}

describe.each(dialects)("an expired session with an email address on %s", (dialect) => {
  test("gets a one-time link by mail, with exactly the permissions that the session had", async () => {
    await using expired = await openExpired(dialect);
    const { app, smtp, cookie, follow, pageOf, renew, mailedLink } = expired;
    expect(await pageOf("/")).toContain(button);
    const { status, text } = await renew();
    expect([status, text.includes(answer), smtp.mails.map(({ to }) => to)]).toEqual([200, true, [[address]]]);
    const url = mailedLink();
    expect((await openLink(app, url)).text).toContain("the role reviewer, in the project atlas");
    const before = await rowsOf(app.url, "select actor, token, created_with, email from sessions");
    const renewed = await follow(url, cookie);
    expect(await pageOf("/methodology", renewed)).toContain("Sign out");
    // The session that it replaces is gone from this browser, and from the database.
    expect(await rowsOf(app.url, "select actor, token, created_with, email from sessions")).toEqual(before);
    expect((await openLink(app, url)).status).toBe(401);
    app.clock.advance(31 * dayMicros);
    expect(await pageOf("/", renewed)).toContain(button);
    await app.ctx.audit.close();
    const audit = await rowsOf(
      app.url,
      "select who, via, target from audit where what = 'renewSignInLink' and status = 200",
    );
    expect(audit).toEqual([{ who: "dana", via: "session", target: "dana" }]);
    expect(JSON.stringify(app.logged)).not.toContain(secretOf(url));
  });

  test("gets three unused links at most, also when several are requested at once on two nodes", async () => {
    await using expired = await openExpired(dialect);
    const { app, smtp, cookie, follow, renew, mailedLink } = expired;
    const session = must(await app.ctx.data.session(hashToken(must(cookie.split("=")[1]))));
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    const nodes = [app.ctx, { ...app.ctx, data: other }];
    const attempts = Array.from({ length: 6 }, (_, at) => mailNewLink(must(nodes[at % 2]), session));
    const problems = (await Promise.allSettled(attempts)).flatMap((one) =>
      one.status === "rejected" ? [one.reason.status] : [],
    );
    await other.close();
    expect([problems, smtp.mails.length]).toEqual([[429, 429, 429], 3]);
    expect([(await renew()).text.includes(answer), smtp.mails.length]).toEqual([true, 3]);
    await follow(mailedLink());
    expect([(await renew()).text.includes(answer), smtp.mails.length]).toEqual([true, 4]);
    await app.ctx.audit.close();
    const audit = await rowsOf(
      app.url,
      "select who from audit where what = 'renewSignInLink' and status = 429",
    );
    expect(audit).toEqual([{ who: "dana" }]);
  });

  test("gets the same answer and no mail once a token is revoked, and its unused link ends", async () => {
    for (const name of ["ana", "dana"]) {
      await using expired = await openExpired(dialect);
      const { app, smtp, pageOf, renew, mailedLink, revoke } = expired;
      await renew();
      await revoke(name);
      const { status, text } = await renew();
      expect([name, status, text.includes(answer), smtp.mails.length]).toEqual([name, 200, true, 1]);
      expect((await openLink(app, mailedLink())).status).toBe(401);
      expect(await pageOf("/")).not.toMatch(/dana|Send a new link/);
    }
  });

  test("gets no link if the token of its creator no longer covers its own", async () => {
    await using expired = await openExpired(dialect);
    const { app, smtp, pageOf, renew } = expired;
    const narrowed = JSON.stringify(roles.reader.scopes);
    await rowsOf(app.url, `update tokens set scopes = '${narrowed}' where name = 'ana'`);
    expect(await pageOf("/")).not.toContain("Send a new link");
    expect([(await renew()).text.includes(answer), smtp.mails.length]).toEqual([true, 0]);
  });

  test("gets the same answer if the mail server takes no mail, which counts for nothing", async () => {
    await using expired = await openExpired(dialect);
    const { app, smtp, renew } = expired;
    smtp.refuse = { code: 451, text: "try later" };
    for (let time = 0; time < 4; time++) expect((await renew()).text).toContain(answer);
    expect(await rowsOf(app.url, "select * from sign_in_links")).toEqual([]);
    smtp.refuse = null;
    await renew();
    expect(smtp.mails.map(({ to }) => to)).toEqual([[address]]);
  });

  test("names who to ask where no mail is sent, and without an address", async () => {
    for (const options of [{ hasMail: false }, { email: null }]) {
      await using expired = await openExpired(dialect, options);
      const { smtp, pageOf, renew } = expired;
      const page = await pageOf("/");
      expect(page).toContain("Your session has expired, dana. For a new sign-in link, ask <b>ana</b>");
      expect(page).not.toContain("Send a new link");
      expect([(await renew()).status, smtp.mails.length]).toEqual([401, 0]);
    }
  });
});

test("an address that is none is refused, and so is a body that is no object", async () => {
  await using expired = await openExpired("sqlite");
  const { app } = expired;
  const token = await app.mint(roles.admin.scopes, { name: "mara" });
  const create = (json: unknown) =>
    app.ask("/api/v1/tokens/dana/sign-in-links", { method: "POST", token, json: json as object });
  for (const json of [{ email: "dana" }, { email: "a@b.example\nBcc: x@y.example" }, ["dana"]])
    expect((await create(json)).status).toBe(400);
  expect((await create({})).status).toBe(201);
});

test("the page of a token creates a link with an email address, where mail is sent", async () => {
  for (const hasMail of [true, false]) {
    await using expired = await openExpired("sqlite", { hasMail });
    const { app, follow } = expired;
    const token = await app.mint(roles.admin.scopes, { name: "mara" });
    const own = await app.ask("/api/v1/tokens/mara/sign-in-links", { method: "POST", token });
    const cookie = await follow(((await own.json()) as CreatedSignInLink).url);
    const page = await (
      await app.ask("/settings/tokens/dana", { headers: { cookie, accept: "text/html" } })
    ).text();
    expect(page.includes("Their email address, optional")).toBe(hasMail);
    for (const email of ["", address]) {
      const form = { cookie, csrf: csrfOf(page) };
      expect((await post(app, "/settings/tokens/dana/sign-in-link", form, { email })).status).toBe(200);
    }
    const links = await rowsOf(app.url, "select email from sign_in_links order by email");
    expect(links).toEqual([{ email: null }, { email: address }]);
  }
});
