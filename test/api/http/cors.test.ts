/** Requests from other origins. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { must, openApp, type TestApp } from "../../support/harness.ts";

const base = "/api/v1";

describe.each([{}, { SVC_PUBLIC_READ: "1" }])(
  "cross-origin reads without SVC_CORS_ORIGINS, with %j",
  (env) => {
    test("are rejected, as are preflights; machine-readable documents stay readable", async () => {
      await using app = await openApp("sqlite", env);
      const headers = { origin: "https://elsewhere.example", "access-control-request-method": "GET" };
      for (const path of [
        "/api/v1/feed",
        "/api/v1/info",
        "/api/v1/nothing",
        "/web/feed",
        "/",
        "/mcp",
        "/metrics",
      ]) {
        for (const method of ["GET", "HEAD", "OPTIONS"]) {
          const answer = await app.ask(path, { method, headers });
          expect([method, path, answer.headers.get("access-control-allow-origin")]).toEqual([
            method,
            path,
            null,
          ]);
        }
      }
      expect((await app.ask("/api/v1/feed", { method: "OPTIONS", headers })).headers.get("allow")).toBe(
        "GET, HEAD, OPTIONS",
      );
      expect((await app.ask("/openapi.json", { headers })).headers.get("access-control-allow-origin")).toBe(
        "*",
      );
    });
  },
);

test("CORS allows reads from the listed origins only, and varies by Origin", async () => {
  await using app = await openApp("sqlite", {
    SVC_CORS_ORIGINS: "https://one.example, http://two.example:3000",
  });
  const token = await app.mint(["feed:read"]);
  for (const [origin, allowed] of [
    ["https://one.example", true],
    ["http://two.example:3000", true],
    ["http://one.example", false],
    ["http://two.example", false],
    ["https://one.example.evil.example", false],
    ["null", false],
    [undefined, false],
  ] as const) {
    const headers = { ...(origin !== undefined && { origin }) };
    // Three times, so that cached responses are covered too.
    const answers = [1, 2, 3].map(() => app.ask(`${base}/feed`, { token, headers }));
    for (const answer of [
      ...(await Promise.all(answers)),
      await app.ask(`${base}/feed`, { method: "OPTIONS", headers }),
    ]) {
      expect([origin, answer.headers.get("access-control-allow-origin")]).toEqual([
        origin,
        allowed ? must(origin) : null,
      ]);
      expect(answer.headers.get("vary")).toMatch(/(^|, )Origin(,|$)/);
    }
  }
});

describe("cross-origin reads with SVC_CORS_ORIGINS=*", () => {
  let app: TestApp;
  beforeAll(
    async () => void (app = await openApp("sqlite", { SVC_PUBLIC_READ: "1", SVC_CORS_ORIGINS: "*" })),
  );
  afterAll(() => app.close());

  test("are allowed, including errors, and can read the API headers", async () => {
    for (const path of ["/feed", "/feed?limit=0", "/nothing", "/projects/none"]) {
      const response = await app.ask(base + path, { headers: { origin: "https://elsewhere.example" } });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-expose-headers")).toContain(
        "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate",
      );
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  test("can send a token, as the preflight response allows", async () => {
    const headers = {
      ...{ origin: "https://elsewhere.example", "access-control-request-method": "GET" },
      "access-control-request-headers": "authorization, last-event-id",
    };
    const response = await app.ask(`${base}/feed/stream`, { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "Authorization, Last-Event-ID",
      allow: "GET, HEAD, OPTIONS",
    });
  });

  test("do not extend to writes", async () => {
    const headers = { origin: "https://elsewhere.example", "access-control-request-method": "POST" };
    const preflight = await app.ask(`${base}/events`, { method: "OPTIONS", headers });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, null]);
    const response = await app.ask(`${base}/events`, { json: { events: [] }, headers });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});
