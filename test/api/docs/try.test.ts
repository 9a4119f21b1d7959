/**
 * The documentation in a browser, and its interactive page: from this server alone, under a policy of its
 * own, and it works.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { httpOperations } from "../../../src/api/operations/index.ts";
import { browserPath, openBrowser, openBrowserSession } from "../../support/browser/browser.ts";
import { serveFewOperations } from "../../support/browser/few-operations.ts";
import {
  freshDatabase,
  must,
  openApp,
  programToken,
  startServer,
  type TestApp,
} from "../../support/harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_API_TOKENS: `${programToken}:feed:read` });
});
afterAll(() => app.close());

test("what is sent packed is sent as it is to who does not take that, or not with any weight", async () => {
  const style = must(/href="(\/site\/[^"]+\.css)"/.exec(await (await app.ask("/docs")).text())?.[1]);
  for (const path of ["/docs", style, "/docs/api/try/swagger-ui.css"]) {
    const encodings = [
      "gzip",
      "br, GZIP;q=0.5",
      "*, gzip; q=1.0",
      "gzip;q=0",
      "gzip; q=0.000, br",
      "xgzip",
      "identity",
    ].map(async (field) => {
      const { headers } = await app.ask(path, { headers: { "accept-encoding": field } });
      expect(headers.get("vary")).toContain("Accept-Encoding");
      return headers.get("content-encoding");
    });
    expect(await Promise.all(encodings)).toEqual(["gzip", "gzip", "gzip", null, null, null, null]);
  }
});

test("names no other host, in itself, in its policy and in what it loads", async () => {
  const page = await app.ask("/docs/api/try");
  const html = await page.text();
  const policy = must(page.headers.get("content-security-policy"));
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(`${html} ${policy}`).not.toMatch(/https?:/);
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; .*connect-src 'self'; .*frame-ancestors 'none'$/,
  );
  const loaded = [...html.matchAll(/(?:src|href)="(\/docs\/api\/try\/[^"]+)"/g)].map((match) =>
    must(match[1]),
  );
  expect(loaded.map((path) => path.split("/").at(-1))).toEqual([
    "swagger-ui.css",
    "try.css",
    "try.js",
    "swagger-ui.js",
  ]);
  for (const path of loaded) {
    const [plain, packed] = await Promise.all([
      app.ask(path),
      app.ask(path, { headers: { "accept-encoding": "gzip" } }),
    ]);
    expect([
      path,
      plain.status,
      plain.headers.get("content-encoding"),
      packed.headers.get("content-encoding"),
    ]).toEqual([path, 200, null, "gzip"]);
    expect(Bun.gunzipSync(await packed.bytes())).toEqual(await plain.bytes());
  }
  expect((await app.ask("/docs/api/try/other.js")).status).toBe(404);
  expect((await app.ask("/docs/api/try", { method: "POST" })).status).toBe(405);
});

describe.skipIf(!browserPath)("in a browser", () => {
  test("lists every operation of the document, takes a token, calls an operation, and sends no other requests", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    await using browser = await openBrowser();
    await using visitor = await openBrowserSession(browser, server.origin);
    const { page } = visitor;
    await serveFewOperations(page, ["getFeed"]);
    await page.goto("/docs/api/try#/feed/getFeed");
    const feed = page.locator("#operations-feed-getFeed");
    await feed.waitFor();
    const [listed, described] = await page.evaluate<[number, number]>(`(async () => {
      const { paths } = await (await fetch("/openapi.json")).json();
      const operations = Object.values(paths).flatMap(({ servers, ...methods }) => Object.keys(methods));
      return [window.ui.specSelectors.operations().size, operations.length];
    })()`);
    expect(described).toBeGreaterThan(3);
    expect(listed).toBe(described);
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.getByLabel("auth-bearer-value").fill(programToken);
    await page.locator(".auth-container").first().getByRole("button", { name: "Apply credentials" }).click();
    await page.keyboard.press("Escape");
    await feed.getByRole("button", { name: "Try it out" }).click();
    await feed.getByRole("button", { name: "Execute" }).click();
    await feed.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
    expect(await feed.locator(".live-responses-table").textContent()).toContain('"next_before": null');
    expect(visitor.faults).toEqual([]);
  });

  test("copies a command of the documentation, and not what it says", async () => {
    await using browser = await openBrowser();
    await using visitor = await openBrowserSession(browser, app.listen());
    const { page, context } = visitor;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/docs/developer");
    const block = page.locator(".code", { hasText: "svc project link" });
    await block.getByRole("button", { name: "Copy" }).click();
    await block.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      'svc project link atlas --repo acme/atlas --stack "Bun" --check-cmd "bun test"',
    );
    expect(await page.locator(".code.output").count()).toBeGreaterThan(5);
    expect(await page.locator(".code.output .copy").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test("lists the reference in lines, opens the one that a link leads to, and filters them by words", async () => {
    await using browser = await openBrowser();
    await using visitor = await openBrowserSession(browser, app.listen());
    const { page } = visitor;
    await page.goto("/docs/api#reviewAsset");
    const line = (name: string) =>
      page.locator(".doc-entry", { has: page.locator("summary", { hasText: name }) });
    expect(await line("PUT /assets/{id}/review").getAttribute("open")).toBe("");
    expect(await page.locator(".doc-entry[open]").count()).toBe(1);
    expect(await page.locator(".doc-entry summary").count()).toBeGreaterThan(httpOperations.length);
    await page.getByLabel("Filter").fill("budgets check");
    expect(await line("GET /budgets/check").isVisible()).toBe(true);
    expect(await line("PUT /assets/{id}/review").isVisible()).toBe(false);
    expect(await page.getByRole("heading", { name: "Shares" }).isVisible()).toBe(false);
    await page.getByLabel("Filter").fill("");
    expect(await line("PUT /assets/{id}/review").isVisible()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });
});
