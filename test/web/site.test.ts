/** What a page may load, and the pages of errors and of the demo. */
import { describe, expect, test } from "bun:test";
import { fillDemo } from "../../db/demo.ts";
import { allScopes, type Scope } from "../../src/core/auth/scopes.ts";
import { fromMicros } from "../../src/core/lib/time.ts";
import { pageNames } from "../../src/web/routes.ts";
import { page, signIn } from "../support/browser/site.ts";
import { event, link, must, openApp } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

describe("a page", () => {
  const policyOf = (response: Response) =>
    new Map(
      (response.headers.get("content-security-policy") ?? "")
        .split("; ")
        .map((one) => one.split(/ (.*)/, 2) as [string, string]),
    );

  test("loads only from the site, runs no inline script, and cannot be framed; error pages too", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie } = await signIn(library, await library.mint(allScopes));
    for (const path of [
      "/",
      "/feed",
      "/projects",
      "/projects/atlas",
      "/assets",
      "/usage",
      "/methodology",
      "/docs",
      "/docs/developer",
      "/docs/api",
      "/sign-in",
      "/projects/none",
      "/feed?before=never",
    ]) {
      const response = await page(library, path, cookie);
      expect(Object.fromEntries(policyOf(response))).toEqual({
        ...{
          "default-src": "'none'",
          "script-src": "'self'",
          "style-src": "'self'",
          "connect-src": "'self'",
          "worker-src": "'self'",
        },
        ...{
          "img-src": "'self' data:",
          "media-src": "'self'",
          "frame-src": "'self'",
          "form-action": "'self'",
        },
        ...{ "base-uri": "'none'", "frame-ancestors": "'none'" },
      });
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]* src="\/site\/)|<style|\sstyle=|\son\w+=/);
    }
  });

  test("has its style and scripts at content-hashed URLs, cached forever, with a policy of their own", async () => {
    await using app = await openApp("sqlite");
    const html = await (await page(app, "/sign-in")).text();
    const style = must(/href="(\/site\/[^"]+\.css)"/.exec(html)?.[1]);
    for (const name of [
      "style.css",
      "icon.svg",
      "desk.js",
      "feed-list.js",
      "pdf.min.mjs",
      "pdf.worker.min.mjs",
      "jbig2_nowasm_fallback.js",
    ]) {
      const response = await app.ask(style.replace("style.css", name));
      expect([name, response.status, response.headers.get("cache-control")]).toEqual([
        name,
        200,
        "public, max-age=31536000, immutable",
      ]);
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; script-src 'self'");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
    for (const name of ["other.js", "__proto__", "../app.ts", "%2e%2e/app.ts", "desk.ts"])
      expect([name, (await app.ask(style.replace("style.css", name))).status]).toEqual([name, 404]);
  });

  test("may send bytes to the bucket exactly, where bytes are sent; show those of the content's origin, where there is one", async () => {
    await using bucket = await openLibrary("sqlite", "bucket");
    const { cookie } = await signIn(bucket, await bucket.mint(allScopes));
    const origin = new URL(must(bucket.store.baseUrl)).origin;
    expect(policyOf(await page(bucket, "/assets", cookie)).get("connect-src")).toBe(`'self' ${origin}`);
    expect(policyOf(await page(bucket, "/", cookie)).get("connect-src")).toBe("'self'");

    await using apart = await openLibrary("sqlite", "disk", { SVC_CONTENT_URL: "http://bytes.test" });
    const session = await signIn(apart, await apart.mint(allScopes));
    const { body } = await apart.upload({ project: "atlas" }, new File(["%PDF-1.4\n%%EOF\n"], "plan.pdf"));
    const policy = policyOf(await page(apart, `/assets/${body.id}`, session.cookie));
    expect([
      policy.get("connect-src"),
      policy.get("img-src"),
      policy.get("frame-src"),
      policy.get("media-src"),
    ]).toEqual([
      "'self' http://bytes.test",
      "'self' http://bytes.test data:",
      "'self' http://bytes.test", // a 3D model has a page of its own in a frame
      "http://bytes.test",
    ]);
  });

  test("for an error is HTML for browsers and a problem document for programs", async () => {
    await using app = await openApp("sqlite");
    const [browser, program] = await Promise.all([
      app.ask("/sign-out", { headers: { accept: "text/html,*/*" } }),
      app.ask("/sign-out", { headers: { accept: "application/json" } }),
    ]);
    expect([browser.status, browser.headers.get("content-type")]).toEqual([405, "text/html; charset=utf-8"]);
    expect([program.status, program.headers.get("content-type")]).toEqual([405, "application/problem+json"]);
  });

  test("that does not exist is the same 404, whatever the path", async () => {
    await using app = await openApp("sqlite");
    for (const path of [
      "/nothing",
      "//evil.example/x",
      "//:80",
      "/%ff",
      "/assets/a/b",
      "/.env",
      "/sign-in/",
    ]) {
      const response = await page(app, path);
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        404,
        "text/html; charset=utf-8",
      ]);
      expect(await response.text()).not.toMatch(/(href|src|action)="[^"]*evil/);
      expect([path, (await app.ask(path)).headers.get("content-type")]).toEqual([
        path,
        "application/problem+json",
      ]);
    }
    expect((await page(app, "/api/v1/nothing")).headers.get("content-type")).toBe("application/problem+json");
  });

  test("with a NUL in its path is a 404 on Postgres as well, which takes no such text", async () => {
    await using app = await openApp("postgres");
    const paths = Object.keys(pageNames).filter((path) => path.includes(":"));
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) {
      const address = path.replaceAll(/:\w+/g, "a%00b");
      expect([address, (await page(app, address)).status]).toEqual([address, 404]);
    }
  });

  test("of the demo is public and read-only", async () => {
    await using app = await openApp("sqlite", { SVC_DATA_MODE: "mock" });
    await fillDemo(app.ctx.data, { now: app.clock.now(), lanes: app.ctx.config.lanes });
    for (const path of ["/", "/feed", "/projects", "/projects/harbor", "/assets"]) {
      const response = await page(app, path);
      const html = await response.text();
      expect([path, response.status, html.includes("Demo data"), html.includes("data-upload")]).toEqual([
        path,
        200,
        true,
        false,
      ]);
    }
  });
});

describe("a page without a scope", () => {
  test.each([
    [
      "/projects",
      ["assets:read"],
      403,
      "This token lacks the scope feed:read. Ask an admin for a token with any role except telemetry.",
    ],
    [
      "/assets",
      ["feed:read"],
      403,
      "This token lacks the scope assets:read. Ask an admin for a token with any role except telemetry.",
    ],
    ["/assets", ["assets:read"], 200, "To upload, you need the <code>assets:write</code> scope"],
    [
      "/assets/:id",
      ["assets:read", "assets:write"],
      200,
      "To approve or reject, you need the <code>assets:review</code> scope",
    ],
    [
      "/assets/:id",
      ["assets:read", "assets:review"],
      200,
      "To upload the next version, you need the <code>assets:write</code> scope",
    ],
    [
      "/assets/:id",
      ["assets:read"],
      200,
      "To see related decisions, you need the <code>memory:read</code> scope",
    ],
  ] as [string, Scope[], number, string][])(
    "%s with %p explains what a scope lacks: %i, %s",
    async (path, scopes, status, fields) => {
      await using library = await openLibrary("sqlite", "disk");
      const { body } = await library.upload({ project: "atlas" });
      const { cookie } = await signIn(library, await library.mint(scopes, { name: "narrow" }));
      const response = await page(library, path.replace(":id", body.id), cookie);
      const html = await response.text();
      expect([response.status, html.includes(fields)]).toEqual([status, true]);
      expect(html).toContain("narrow");
    },
  );
});

test("times are formatted for people", async () => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  await app.ctx.data.atomically((writes) =>
    writes.append([event({ project: "atlas", ts: app.clock.now() })]),
  );
  const { cookie } = await signIn(app, await app.mint(["feed:read"]));
  const html = await (await page(app, "/feed", cookie)).text();
  expect(html).toContain("Sunday, 1 March 2026");
  expect(html).toContain(
    `<time datetime="${fromMicros(app.clock.now()).slice(0, 23)}Z" data-format="clock">12:00:00</time>`,
  );
});
