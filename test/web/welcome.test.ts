/** The checklist of a new deployment: who sees it, what it shows at load, and what ticks each step. */
import { describe, expect, test } from "bun:test";
import { allScopes, roles } from "../../src/core/auth/scopes.ts";
import { readConfig } from "../../src/core/config.ts";
import { serverCommand } from "../../src/web/welcome/commands.ts";
import { page, signIn } from "../support/browser/site.ts";
import { delivery, example, secret } from "../support/forges/github-webhooks.ts";
import { event, link, must, oneDialect, openApp, type TestApp } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

const main = (html: string): string => must(/<main[\s\S]*<\/main>/.exec(html))[0];
const unescaped = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
/** The names of the steps that are ticked. */
const ticked = (html: string): (string | undefined)[] =>
  [...html.matchAll(/<li id="step-(\w+)" class="done"/g)].map(([, name]) => name);
const commands = (html: string): string[] =>
  [...html.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, text = ""]) => unescaped(text));

async function htmlFor(app: TestApp, cookie: string, path = "/welcome"): Promise<string> {
  const response = await page(app, path, cookie);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

const callMcp = (app: TestApp, token: string, method: string) => {
  const clientInfo = { name: "codex", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  return app.ask("/mcp", { token, json: { jsonrpc: "2.0", id: 1, method, params } });
};

describe.each(oneDialect)("the checklist on %s", (dialect) => {
  test("ticks each step when it happens, and is whole without scripts", async () => {
    await using library = await openLibrary(dialect, "disk", { SVC_GITHUB_WEBHOOK_SECRET: secret });
    const { data } = library.ctx;
    const { cookie } = await signIn(library, await library.mint(allScopes));
    expect(ticked(await htmlFor(library, cookie))).toEqual(["link"]);
    const token = await library.mint(roles.agent.scopes, { name: "codex" });
    expect(ticked(await htmlFor(library, cookie))).toEqual(["link"]);
    // What `svc connect` checks is no session of an agent yet.
    await library.ask("/api/v1/feed", { token });
    await callMcp(library, token, "tools/list");
    await library.ctx.audit.close();
    expect(ticked(await htmlFor(library, cookie))).toEqual(["link"]);
    await callMcp(library, token, "initialize");
    await library.ctx.audit.close();
    const connected = await htmlFor(library, cookie);
    expect(ticked(connected)).toEqual(["link", "connect"]);
    expect(connected).toMatch(/<b>codex<\/b>: connected since <time[^>]*>[^<]+<\/time>, last sent <time/);
    await data.append([event({ project: "atlas", kind: "run.finished" })]);
    expect(ticked(await htmlFor(library, cookie))).toEqual(["link", "report", "connect"]);
    const { body } = await library.upload({ project: "atlas", title: "Berths" });
    const uploaded = await htmlFor(library, cookie);
    expect(ticked(uploaded)).toEqual(["link", "upload", "report", "connect"]);
    expect(uploaded).toContain(`href="/assets/${body.id}"`);
    expect(commands(uploaded)).toContain(`svc asset review ${body.id} rejected --note "Berth 4 is missing."`);
    await library.review(body.id, { decision: "approved" });
    const reviewed = await htmlFor(library, cookie);
    expect(ticked(reviewed)).toEqual(["link", "upload", "review", "report", "connect"]);
    expect(reviewed).toContain("svc is set up.");
    expect(commands(reviewed)).toContain('svc brief atlas "draw the map of the berths again"');
    const ping = { zen: "Design for failure.", hook: { events: ["*"] } };
    const { repository } = example("issues", "opened");
    const delivered = { ...ping, repository: { ...repository, full_name: "acme/atlas" } };
    await library.ask("/api/hooks/github", delivery("ping", delivered));
    expect(ticked(await htmlFor(library, cookie))).toEqual([
      ...["link", "upload", "review", "report", "connect", "github"],
    ]);
  });

  test("ticks the agent when its hook reports a session", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { cookie } = await signIn(library, await library.mint(allScopes));
    const token = await library.mint(roles.agent.scopes, { name: "claude" });
    const report = async (dedupe_key: string) => {
      const fields = { kind: "run.started", actor: "agent:claude-code", summary: "Started", run_id: "s1" };
      await library.ask("/api/v1/events", {
        token,
        json: { events: [{ ...fields, project: "atlas", dedupe_key }] },
      });
      await library.ctx.audit.close();
      return ticked(await htmlFor(library, cookie));
    };
    expect(await report("script:s1")).toEqual(["link", "report"]);
    expect(await report("hook:claude-code:s1:start")).toEqual(["link", "report", "connect"]);
  });

  test("is on the home page until the first review, and then one line with the next step", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { cookie } = await signIn(library, await library.mint(allScopes));
    const home = async () => main(await htmlFor(library, cookie, "/"));
    const isHome = async () => (await home()).includes('id="checklist"');
    expect(await isHome()).toBe(true);
    await library.ctx.data.append([event({ project: "atlas" })]);
    const { body } = await library.upload({ project: "atlas" });
    expect(await isHome()).toBe(true);
    await library.review(body.id, { decision: "approved" });
    expect(await isHome()).toBe(false);
    expect(await home()).toContain('4 of 5 steps done. Next: <a href="/welcome#step-connect">');
  });
});

describe("the checklist", () => {
  test("names the URL of the deployment, and the project once one is linked", async () => {
    await using app = await openApp("sqlite");
    const { cookie } = await signIn(app, await app.mint(allScopes));
    const before = commands(await htmlFor(app, cookie));
    expect(before).toContain("svc project link atlas --repo acme/atlas");
    await link(app.ctx.data, "harbor", "acme/harbor-app");
    const after = commands(await htmlFor(app, cookie)).join("\n");
    expect(after).toMatch(/svc event add --project harbor /);
    expect(after).toContain("svc connect --project harbor\n");
    expect(after).toContain("svc login http://svc.test\nsvc connect --project harbor");
    expect(after).toContain("http://svc.test/api/hooks/github");
    expect(after).not.toContain("atlas");
  });

  test("suggests roles that suffice, and says that uploads are disabled without a store", async () => {
    await using app = await openApp("sqlite");
    const { cookie } = await signIn(app, await app.mint(allScopes));
    const html = main(await htmlFor(app, cookie));
    expect(html).toContain("svc token create laptop --role agent");
    expect(html).toContain("Uploads are disabled: this deployment has no asset store.");
  });

  test("is not for a reviewer or reader: no page suggests how to set up svc, and its own says 403", async () => {
    await using library = await openLibrary("sqlite", "disk");
    for (const role of ["reviewer", "reader"] as const) {
      const { cookie } = await signIn(library, await library.mint(roles[role].scopes));
      for (const path of ["/", "/feed", "/projects", "/projects/atlas", "/assets"])
        expect([path, main(await htmlFor(library, cookie, path))]).toEqual([
          path,
          expect.not.stringMatching(/checklist|\/welcome|svc project link|svc connect|Next steps/),
        ]);
      const welcome = await page(library, "/welcome", cookie);
      expect([welcome.status, main(await welcome.text())]).toEqual([
        403,
        expect.stringContaining("These steps are for the admin who sets up svc."),
      ]);
    }
  });

  test("defines svc for its own database in any folder, and on a domain for the server and each machine", async () => {
    const config = readConfig({ SVC_SITE_URL: "http://127.0.0.1:8787", SVC_DATA_DIR: "/srv/it's here" });
    expect(serverCommand(config, { hasDatabaseServer: false }).definition).toMatch(
      /^svc\(\) \{ SVC_DATA_DIR='\/srv\/it'\\''s here' npx -y bun@\S+ .+\/cli\/main\.ts'? "\$@"; \}$/,
    );
    await using remote = await openApp("sqlite", { SVC_DATA_DIR: "/srv/svc" });
    const there = commands(
      await htmlFor(remote, (await signIn(remote, await remote.mint(allScopes))).cookie),
    );
    expect(there[0]).toMatch(/^svc\(\) \{ sudo -u \S+ env SVC_DATA_DIR=\/srv\/svc npx /);
    expect(there.slice(1, 3)).toEqual([
      "svc token create laptop-admin --role admin",
      "svc login http://svc.test",
    ]);
    expect(there).not.toContain("svc connect --project atlas");
  });

  test("is for visitors who have signed in: others get the sign-in page, also with public read", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const welcome = await page(app, "/welcome");
    expect(welcome.status).toBe(401);
    expect(main(await welcome.text())).toContain("Access token");
    const home = main(await (await page(app, "/feed")).text());
    expect([home.includes('id="checklist"'), home.includes('href="/welcome"')]).toEqual([false, true]);
    await using mock = await openApp("sqlite", { SVC_DATA_MODE: "mock" });
    expect((await page(mock, "/welcome")).status).toBe(403);
    expect(await (await page(mock, "/?limit=1")).text()).not.toContain('id="checklist"');
  });

  test("is hinted at on empty pages; an unused project shows its next steps until its first event", async () => {
    await using app = await openApp("sqlite");
    const { cookie } = await signIn(app, await app.mint(allScopes));
    for (const path of ["/projects", "/assets"])
      expect(main(await htmlFor(app, cookie, path))).toContain('href="/welcome"');
    await link(app.ctx.data, "atlas");
    const unused = main(await htmlFor(app, cookie, "/projects/atlas"));
    expect(commands(unused)[0]).toContain("--project atlas ");
    await app.ctx.data.append([event({ project: "atlas" })]);
    expect(main(await htmlFor(app, cookie, "/projects/atlas"))).not.toContain("Next steps");
  });
});
