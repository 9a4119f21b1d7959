/** The settings of admins: who sees them, what they show, and what they never show. */
import { describe, expect, test } from "bun:test";
import { allScopes, roles } from "../../src/core/auth/scopes.ts";
import { hashToken } from "../../src/core/auth/token.ts";
import { dayMicros } from "../../src/core/lib/time.ts";
import { delivery, example, secret } from "../support/forges/github-webhooks.ts";
import {
  freshDatabase,
  link,
  must,
  oneDialect,
  openApp,
  program,
  rowsOf,
  startServer,
  type TestApp,
  temporaryFolder,
} from "../support/harness.ts";
import { openSession } from "../support/test-server.ts";

const plain = (html: string): string =>
  must(/<main[\s\S]*<\/main>/.exec(html))[0]
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

describe.each(oneDialect)("the settings page on %s", (dialect) => {
  async function settingsFor(app: TestApp, token: string, section: string) {
    const origin = app.listen();
    const [cookie] = await openSession(origin, token);
    const response = await app.ask(`/settings/${section}`, {
      headers: { accept: "text/html", cookie: `${must(cookie).name}=${must(cookie).value}` },
    });
    return { status: response.status, text: await response.text() };
  }

  test("lists the active tokens with role, projects, last use and expiry, and counts the others", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const admin = await app.mint(allScopes, { name: "boss" });
    const token = await app.mint(roles.ci.scopes, {
      ...{ name: "atlas-ci", projects: ["atlas"], expires_at: app.clock.now() + 30 * dayMicros },
    });
    await app.mint(["feed:read", "feed:write"], { name: "odd" });
    await app.mint(["feed:read"], { name: "late", expires_at: app.clock.now() - 1 });
    await app.mint(["feed:read"], { name: "gone" });
    await app.ctx.data.atomically((writes) => writes.revokeToken("gone", app.clock.now()));
    const { status, text } = await settingsFor(app, admin, "tokens");
    expect(status).toBe(200);
    expect(plain(text)).toContain("atlas-ci ci atlas – never 31 Mar 2026");
    expect(plain(text)).toContain("odd feed:read, feed:write all – never never");
    expect(plain(text)).toContain("2 tokens revoked or expired.");
    expect(plain(text)).not.toMatch(/\b(late|gone)\b/);
    for (const hidden of [token, hashToken(token), admin, hashToken(admin)])
      expect(text).not.toContain(hidden);
  });

  test("shows version, stores, webhooks of the last seven days, and the findings of quick checks", async () => {
    await using app = await openApp(dialect, {
      SVC_GITHUB_WEBHOOK_SECRET: secret,
      SVC_DATA_DIR: "/srv/private",
    });
    await link(app.ctx.data, "atlas");
    const body = example("issues", "opened", ({ repository }) => {
      repository.full_name = "acme/atlas";
    });
    const deliver = (headers = {}) => app.ask("/api/hooks/github", delivery("issues", body, headers));
    expect((await deliver()).status).toBe(202);
    expect((await deliver({ "x-hub-signature-256": "sha256=00" })).status).toBe(401);
    await app.ctx.audit.close();
    const { text: html } = await settingsFor(app, await app.mint(allScopes), "deployment");
    const shown = plain(html);
    expect(shown).toContain(`Database ${dialect === "sqlite" ? "SQLite" : "Postgres"}`);
    expect(shown).toContain("Last backup never");
    expect(shown).toContain("GitHub 1 Mar 2026, 12:00 UTC 1 1 ");
    expect(shown).toMatch(/Off, until a secret is set: GitLab \( ?SVC_GITLAB_WEBHOOK_SECRET ?\) ?,/);
    expect(shown).toContain("asset store Warning none: uploads and publishing are disabled");
    expect(shown).toMatch(/database OK (SQLite|Postgres)/);
    expect(html).not.toContain("/srv/private");
    expect(html).not.toContain(secret);
  });

  test("is refused without every scope, for a token limited to projects, and without a session", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const narrow = [
      await app.mint(roles.reviewer.scopes),
      await app.mint(allScopes, { projects: ["atlas"] }),
    ];
    for (const token of narrow) {
      const { status, text } = await settingsFor(app, token, "tokens");
      expect([status, plain(text).includes("These settings are for admins.")]).toEqual([403, true]);
      expect(text).not.toContain('href="/settings/tokens"');
    }
    expect((await app.ask("/settings/tokens", { headers: { accept: "text/html" } })).status).toBe(401);
    await using mock = await openApp(dialect, { SVC_DATA_MODE: "mock" });
    expect((await mock.ask("/settings/tokens", { headers: { accept: "text/html" } })).status).toBe(403);
  });
});

test("the settings page shows the age of the last backup that includes the files", async () => {
  await using database = await freshDatabase("sqlite");
  await using folder = await temporaryFolder();
  const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path };
  await using server = await startServer(database, env);
  const lastBackup = () => rowsOf(database.url, "select value from settings where name = 'last_backup'");
  expect((await program(["backup", `${folder.path}/rows.tar`, "--no-bytes"], env)).code).toBe(0);
  expect(await lastBackup()).toEqual([]);
  expect((await program(["backup", `${folder.path}/all.tar`], env)).code).toBe(0);
  const { output } = await program(["open"], env);
  const page = await fetch(output.trim());
  const cookie = must(page.headers.get("set-cookie")?.split(";")[0]);
  const csrf = must(/name="csrf" value="([^"]+)"/.exec(await page.text())?.[1]);
  const signed = await fetch(`${server.origin}/sign-in`, {
    ...{ method: "POST", redirect: "manual", headers: { origin: server.origin, cookie } },
    body: new URLSearchParams({ csrf, link: must(new URL(output.trim()).searchParams.get("link")) }),
  });
  const session = must(signed.headers.get("set-cookie")?.split(";")[0]);
  const html = await (
    await fetch(`${server.origin}/settings/deployment`, { headers: { cookie: session } })
  ).text();
  expect(plain(html)).toMatch(/Last backup \d+ \w{3} \d{4}, \d\d:\d\d UTC/);
  expect(html).toContain('<a href="/settings">Settings</a>');
});
