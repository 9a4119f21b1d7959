/** The rate limit of the API: what counts, by whom, and its headers. */
import { describe, expect, test } from "bun:test";
import { generateToken } from "../../../src/core/auth/token.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { event, openApp, type TestRequest } from "../../support/harness.ts";

const base = "/api/v1";

describe("the rate limit", () => {
  const fieldsOf = (response: Response) => [
    response.status,
    response.headers.get("ratelimit-policy"),
    response.headers.get("ratelimit"),
    response.headers.get("retry-after"),
  ];
  const policy = '"default";q=3;w=60';
  const limited = (env: Record<string, string> = {}) => openApp("sqlite", { SVC_RATE_LIMIT: "3/60", ...env });

  test("is 60 requests in 60 seconds by default", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "" });
    expect(fieldsOf(await app.ask(`${base}/info`))).toEqual([
      200,
      '"default";q=60;w=60',
      '"default";r=59;t=60',
      null,
    ]);
    for (let i = 0; i < 59; i++) await app.ask(`${base}/info`);
    expect(fieldsOf(await app.ask(`${base}/info`))).toEqual([
      429,
      '"default";q=60;w=60',
      '"default";r=0;t=60',
      "60",
    ]);
  });

  test("counts down to a 429 with Retry-After, and resets when the window ends", async () => {
    await using app = await limited();
    const ask = app.ask;
    const info = async () => fieldsOf(await ask(`${base}/info`));
    expect(await info()).toEqual([200, policy, '"default";r=2;t=60', null]);
    app.clock.advance(20.5 * secondMicros);
    expect(await info()).toEqual([200, policy, '"default";r=1;t=40', null]);
    expect(await info()).toEqual([200, policy, '"default";r=0;t=40', null]);
    expect(await info()).toEqual([429, policy, '"default";r=0;t=40', "40"]);
    app.clock.advance(39 * secondMicros);
    expect(await info()).toEqual([429, policy, '"default";r=0;t=1', "1"]);
    app.clock.advance(0.5 * secondMicros);
    expect(await info()).toEqual([200, policy, '"default";r=2;t=60', null]);
  });

  test("is in the headers of every API response", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "1000/60" });
    const token = await app.mint(["feed:read", "feed:write"]);
    const requests: [string, TestRequest, number][] = [
      ["/info", {}, 200],
      ["/info", { method: "HEAD" }, 200],
      ["/info", { method: "OPTIONS" }, 204],
      ["/info", { method: "DELETE" }, 405],
      ["/feed", {}, 401],
      ["/feed", { token: "nonsense" }, 401],
      ["/feed", { token: await app.mint([]) }, 403],
      ["/feed", { token }, 200],
      ["/feed?limit=0", { token }, 400],
      ["/feed/stream", { token }, 200],
      ["/projects/none", { token }, 404],
      ["/nothing", {}, 404],
      ["", {}, 404],
      ["/events", { token, json: { events: [event()] } }, 200],
      ["/events", { token, method: "POST", body: "x" }, 415],
      ["/events", { token, json: 5 }, 400],
    ];
    for (const [path, init, status] of requests) {
      const response = await app.ask(base + path, init);
      const [got, quota, left] = fieldsOf(response);
      expect([path, init.method, got, quota]).toEqual([path, init.method, status, '"default";q=1000;w=60']);
      expect(left).toMatch(/^"default";r=9\d\d;t=60$/);
      await response.body?.cancel();
    }
    app.ctx.data.projects = () => Promise.reject(new Error("broken"));
    const broken = fieldsOf(await app.ask(`${base}/projects`, { token }));
    expect(broken).toEqual([500, '"default";q=1000;w=60', expect.stringMatching(/r=9\d\d/), null]);
  });

  test("counts by token if valid, otherwise by address", async () => {
    await using app = await limited({ SVC_MEMORY_TOKEN: "shared-secret" });
    const left = async (init: TestRequest) =>
      Number(/r=(\d+)/.exec((await app.ask(`${base}/info`, init)).headers.get("ratelimit") ?? "")?.[1]);
    const [first, second] = [
      await app.mint(["feed:read"]),
      await app.mint(["feed:read"], { name: "memory" }),
    ];
    expect(await left({ token: first, address: "192.0.2.1" })).toBe(2);
    expect(await left({ token: first, address: "192.0.2.2" })).toBe(1);
    expect(await left({ token: second, address: "192.0.2.2" })).toBe(2);
    expect(await left({ token: "shared-secret", address: "192.0.2.2" })).toBe(2);
    expect(await left({ address: "192.0.2.2" })).toBe(2);
    expect(await left({ address: "2001:db8::1" })).toBe(2);
    for (const token of [generateToken(), generateToken(), "nonsense"])
      await left({ token, address: "192.0.2.3" });
    expect((await app.ask(`${base}/info`, { address: "192.0.2.3" })).status).toBe(429);
    expect((await app.ask(`${base}/info`, { token: first, address: "192.0.2.3" })).status).toBe(200);
  });

  test("does not believe X-Forwarded-For unless the proxy is trusted, and then uses the last address", async () => {
    await using plain = await limited();
    for (let i = 0; i < 3; i++)
      await plain.ask(`${base}/info`, { headers: { "x-forwarded-for": `198.51.100.${i}` } });
    expect((await plain.ask(`${base}/info`, { headers: { "x-forwarded-for": "198.51.100.9" } })).status).toBe(
      429,
    );

    await using proxied = await limited({ SVC_TRUST_PROXY: "1" });
    const behind = (forwarded: string) =>
      proxied.ask(`${base}/info`, { headers: { "x-forwarded-for": forwarded } });
    for (let i = 0; i < 3; i++) await behind(`203.0.113.${i}, 198.51.100.1`);
    expect((await behind("203.0.113.99, 198.51.100.1")).status).toBe(429);
    expect((await behind("198.51.100.1, 198.51.100.2")).status).toBe(200);
    expect((await proxied.ask(`${base}/info`)).status).toBe(200);
  });

  test("does nothing and adds no headers when off", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "off" });
    for (let i = 0; i < 100; i++)
      expect(fieldsOf(await app.ask(`${base}/info`))).toEqual([200, null, null, null]);
  });

  test("does not apply to health checks, documents, pages and webhooks", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "1/60", SVC_GITHUB_WEBHOOK_SECRET: "s" });
    await app.ask(`${base}/info`);
    expect((await app.ask(`${base}/info`)).status).toBe(429);
    for (const path of [
      "/healthz",
      "/readyz",
      "/openapi.json",
      "/docs/api",
      "/.well-known/oauth-protected-resource",
    ])
      expect([path, fieldsOf(await app.ask(path)).slice(0, 3)]).toEqual([path, [200, null, null]]);
    expect((await app.ask("/api/hooks/github", { json: {} })).status).toBe(401);
  });

  test("still works after the clock is set back", async () => {
    await using app = await limited();
    for (let i = 0; i < 4; i++) await app.ask(`${base}/info`);
    app.clock.advance(-86_400 * secondMicros);
    expect((await app.ask(`${base}/info`)).status).toBe(200);
  });
});
