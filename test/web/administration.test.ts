/** Administration in the browser, as people do it: setting up, a lost laptop, a contractor who left. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes, roles } from "../../src/core/auth/scopes.ts";
import { page, post, type Session, signIn } from "../support/browser/site.ts";
import { must, openApp, rowsOf, type TestApp } from "../support/harness.ts";
import { addWebhook } from "../support/webhooks/webhook-rows.ts";

let app: TestApp;
let admin: Session;
beforeAll(async () => {
  app = await openApp("sqlite");
  admin = await signIn(app, await app.mint(allScopes, { name: "boss" }));
});
afterAll(() => app.close());

const textOf = (html: string): string =>
  must(/<main[\s\S]*<\/main>/.exec(html))[0]
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
const load = async (path: string, { cookie }: Session = admin) => (await page(app, path, cookie)).text();

/** Sends a form of a visitor. @returns the page that it answers with, or leads to */
async function submit(path: string, fields: Record<string, string>, visitor: Session = admin) {
  const accept = "text/html";
  const response = await post(
    app,
    path,
    { csrf: visitor.csrf, ...fields },
    { cookie: visitor.cookie, accept },
  );
  const { status, headers } = response;
  const html = status === 303 ? await load(must(headers.get("location")), visitor) : await response.text();
  return { status, html, text: textOf(html), headers };
}

/** A session in a browser with this `User-Agent`. */
async function signInWith(token: string, agent: string): Promise<Session> {
  const form = await app.ask("/sign-in");
  const cookie = must(form.headers.get("set-cookie")?.split(";")[0]);
  const csrf = must(/name="csrf" value="([^"]+)"/.exec(await form.text())?.[1]);
  const sent = { cookie, "user-agent": agent };
  const response = await post(app, "/sign-in", { csrf, token }, sent);
  const setCookie = must(response.headers.get("set-cookie"));
  const session = { setCookie, cookie: must(setCookie.split(";")[0]), csrf: "" };
  return {
    ...session,
    csrf: must(/name="csrf" value="([^"]+)"/.exec(await load("/settings", session))?.[1]),
  };
}

describe("an admin sets up a deployment", () => {
  test("links a project, and changes it; an error keeps what was typed", async () => {
    const refused = await submit("/settings/projects", { slug: "atlas", repo: "nowhere", forge: "github" });
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('value="nowhere"')]);
    const linked = await submit("/settings/projects", { slug: "atlas", repo: "acme/atlas", forge: "github" });
    expect([linked.status, linked.text]).toEqual([
      303,
      expect.stringContaining("atlas Open the project Linked."),
    ]);
    const fields = { repo: "acme/atlas", forge: "gitlab", check_cmd: "bun test" };
    expect((await submit("/settings/projects/atlas", { ...fields, stack: "Bun" })).text).toContain("Saved.");
    await submit("/settings/projects/atlas", { ...fields, stack: "" });
    const project = await app.ctx.data.project(null, "atlas");
    expect(project).toMatchObject({
      forge: "gitlab",
      host: "gitlab.com",
      check_cmd: "bun test",
      stack: null,
    });
  });

  test("gets the command that creates a token, quoted for a shell, and no token", async () => {
    const html = await load("/settings/tokens?name=mara&role=reviewer&project=atlas&team=it's&expires=90d");
    expect(html.replaceAll("&#39;", "'")).toContain(
      "svc token create mara --role reviewer --project atlas --team 'it'\\''s' --expires 90d",
    );
    expect(textOf(await load("/settings/tokens?name=boss&role=ci"))).toContain("The name &quot;boss&quot;");
    expect((await app.ctx.data.tokens()).length).toBe(1);
  });

  test("adds a webhook, whose secret is shown once, rotates it, and removes it", async () => {
    const url = "https://192.31.7.1/in";
    const added = await submit("/settings/webhooks", {
      url,
      name: "ops",
      format: "json",
      "kind run.failed": "on",
    });
    const secret = must(/whsec_[\w+/=]+/.exec(added.html))[0];
    const [row] = await app.ctx.data.webhooks();
    const { id, ...webhook } = must(row);
    expect(webhook).toMatchObject({ name: "ops", secret, filters: { kind: ["run.failed"] } });
    expect(await load(`/settings/webhooks/${id}`)).not.toContain(secret);
    const rotated = await submit(`/settings/webhooks/${id}/rotate`, {});
    expect(rotated.text).toContain("requests are signed with both secrets");
    expect(must(/whsec_[\w+/=]+/.exec(rotated.html))[0]).not.toBe(secret);
    expect((await submit(`/settings/webhooks/${id}/remove`, {})).text).toContain("Removed.");
    expect(await app.ctx.data.webhooks()).toEqual([]);
  });

  test("sees who did what from where; a form of another site is refused", async () => {
    await submit("/settings/projects", { slug: "boats", repo: "acme/boats", forge: "github" });
    expect(textOf(await load("/settings/audit?token=boss"))).toContain("boss browser linkProject boats ok");
    const forged = await post(
      app,
      "/settings/tokens/boss/revoke",
      { csrf: "forged" },
      { cookie: admin.cookie },
    );
    expect(forged.status).toBe(403);
    const foreign = { cookie: admin.cookie, origin: "https://evil.test" };
    expect((await post(app, "/settings/tokens/boss/revoke", { csrf: admin.csrf }, foreign)).status).toBe(403);
    expect((await page(app, "/settings", admin.cookie)).status).toBe(200);
  });
});

describe("a reviewer", () => {
  test("ends the session of a lost laptop, and no one else's", async () => {
    const token = await app.mint(roles.reviewer.scopes, { name: "mara" });
    const laptop = await signInWith(token, "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36");
    const phone = await signInWith(
      token,
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Version/19.0 Safari/604.1",
    );
    const html = await load("/settings", phone);
    expect(textOf(html)).toMatch(/Safari on iPhone .* This browser Chrome on Windows /);
    const [end] = must(/\/settings\/sessions\/[0-9a-f]{16}\/end/.exec(html));
    expect((await submit(end, {})).status).toBe(404);
    expect((await submit(end, {}, phone)).text).toContain("The session has ended.");
    expect((await page(app, "/settings", laptop.cookie)).status).toBe(200);
    expect(textOf(await load("/settings", laptop))).not.toContain("Sessions");
    const other = await signInWith(token, "curl/8.0");
    expect((await submit("/settings/sessions/end", {}, phone)).text).toContain("other sessions have ended");
    expect(textOf(await load("/settings", other))).not.toContain("Sessions");
  });

  test("sees their own settings, no section of admins, and chooses a theme", async () => {
    const ben = await signIn(app, await app.mint(roles.reviewer.scopes, { name: "ben" }));
    const html = await load("/settings", ben);
    expect(textOf(html)).toContain("Signed in as ben Role reviewer");
    expect(html).not.toMatch(/settings\/(tokens|projects|webhooks|offboard|audit|email)/);
    const { headers } = await submit("/settings/theme", { theme: "dark" }, ben);
    const theme = must(headers.get("set-cookie")?.split(";")[0]);
    const dark = await app.ask("/settings", { headers: { cookie: `${ben.cookie}; ${theme}` } });
    expect(await dark.text()).toContain('<html lang="en" data-theme="dark">');
    const unknown = await app.ask("/settings", { headers: { cookie: `${ben.cookie}; svc_theme="><b>` } });
    expect(await unknown.text()).toContain('<html lang="en">');
  });
});

test("an admin offboards a contractor: a webhook that is handed over gets a new secret, shown once", async () => {
  const dana = await app.mint(roles.reviewer.scopes, { name: "dana" });
  await app.mint(allScopes, { name: "ana" });
  const id = await addWebhook(app.ctx.data, { owner: "dana", name: "deploys" });
  const [before] = await rowsOf(app.url, `select secret from webhooks where id = '${id}'`);
  expect(textOf(await load("/settings/offboard?name=dana"))).toContain("Webhooks deploys Handed over");
  const { text, html } = await submit("/settings/offboard/dana", { to: "ana" });
  expect(text).toContain("dana was offboarded.");
  const secret = must(/whsec_[\w+/=]+/.exec(html))[0];
  expect(
    await rowsOf(app.url, `select owner, secret, previous_secret from webhooks where id = '${id}'`),
  ).toEqual([{ owner: "ana", secret, previous_secret: before?.secret }]);
  const [rotation] = await app.ctx.data.audit({ what: ["rotateWebhookSecret"], limit: 1 });
  expect(rotation).toMatchObject({ who: "boss", via: "session", target: id });
  expect((await app.ask("/api/v1/feed", { token: dana })).status).toBe(401);
  expect(textOf(await load("/settings/tokens/dana"))).toContain("dana revoked");
});
