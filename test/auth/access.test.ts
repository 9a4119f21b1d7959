/** Authorization: tokens, scopes, projects, expiry, challenges and rate limits. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { allScopes, publicScopes, type Scope } from "../../src/auth/scopes.ts";
import { signingSecret } from "../../src/auth/secret.ts";
import { generateToken } from "../../src/auth/token.ts";
import { secondMicros } from "../../src/lib/time.ts";
import { httpOperations } from "../../src/operations/index.ts";
import type { ProblemDocument } from "../../src/problem.ts";
import { dialects, event, link, must, openApp, type TestApp, type TestRequest } from "../support/harness.ts";

const base = "/api/v1";
const metadata = 'resource_metadata="http://svc.test/.well-known/oauth-protected-resource"';

/**
 * Every operation with a request that is invalid in every other way too: an unauthorized caller must only
 * learn that it is unauthorized.
 */
const operations = httpOperations.map((op) => {
  const path = base + op.http.path.replace(/\{\w+\}/g, "nonsense!");
  const reads = op.http.method === "GET";
  return {
    op,
    path: reads ? `${path}?limit=nonsense&limit=2` : path,
    method: op.http.method,
    scope: op.scope,
  };
});
const guarded = operations.filter((one): one is typeof one & { scope: Scope } => one.scope !== "public");

/** A request body that fails the test if it is read. */
function untouched(): { body: ReadableStream; touched(): boolean } {
  let pulls = 0;
  const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 });
  return { body, touched: () => pulls > 0 };
}

describe.each(dialects)("an operation with a scope, on %s", (dialect) => {
  let app: TestApp;
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    app = await openApp(dialect);
    tokens.unknown = generateToken();
    tokens.garbage = "not-a-token-of-ours";
    tokens.miscounted = `${generateToken().slice(0, -1)}!`;
    tokens.revoked = await app.mint(allScopes, { name: "revoked" });
    tokens.expired = await app.mint(allScopes, { name: "expired", expires_at: app.clock.now() });
    await app.ctx.data.atomically((writes) => writes.revokeToken("revoked", app.clock.now()));
  });
  afterAll(() => app.close());

  const refused = async (method: string, path: string, init: TestRequest) => {
    const { body, touched } = untouched();
    const response = await app.ask(path, { ...init, method, ...(method !== "GET" && { body }) });
    expect([method, path, touched()]).toEqual([method, path, false]);
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate"),
      problem: (await response.json()) as ProblemDocument,
    };
  };

  test("without a token is a 401 whose challenge names the scope and the metadata URL", async () => {
    for (const { method, path, scope } of guarded) {
      const { status, challenge, problem } = await refused(method, path, {});
      expect([path, status, challenge]).toEqual([
        path,
        401,
        `Bearer realm="svc", scope="${scope}", ${metadata}`,
      ]);
      expect(problem).toMatchObject({ status: 401, title: "Unauthorized", instance: path.split("?")[0] });
    }
  });

  test.each(["unknown", "garbage", "miscounted", "revoked", "expired"])(
    "with a token that is %s is a 401 that says so",
    async (kind) => {
      const token = must(tokens[kind]);
      for (const { method, path, scope } of guarded) {
        const { status, challenge } = await refused(method, path, { token });
        expect([path, status, challenge]).toEqual([
          ...[path, 401],
          `Bearer realm="svc", error="invalid_token", error_description="Unknown token", scope="${scope}", ${metadata}`,
        ]);
      }
    },
  );

  test("with a token of every other scope is a 403 that names the one it lacks", async () => {
    for (const { method, path, scope } of guarded) {
      const token = await app.mint(allScopes.filter((one) => one !== scope));
      const { status, challenge, problem } = await refused(method, path, { token });
      expect([path, status, challenge]).toEqual([
        ...[path, 403],
        `Bearer realm="svc", error="insufficient_scope", scope="${scope}", ${metadata}`,
      ]);
      expect(problem.detail).toContain(scope);
    }
  });

  test("is open to a token with that scope alone", async () => {
    for (const { method, path, scope } of guarded) {
      const response = await app.ask(path, { method, token: await app.mint([scope]) });
      expect([path, [401, 403].includes(response.status)]).toEqual([path, false]);
      await response.body?.cancel();
    }
  });

  test("does not take a token from anywhere but the Authorization field", async () => {
    const token = await app.mint(allScopes);
    const places: [string, Record<string, string>][] = [
      [`?access_token=${token}`, {}],
      [`?token=${token}`, {}],
      ["", { cookie: `token=${token}; session=${token}` }],
      ["", { "x-api-key": token }],
      ["", { "proxy-authorization": `Bearer ${token}` }],
      ["", { authorization: token }],
      ["", { authorization: `Basic ${btoa(`x:${token}`)}` }],
      ["", { authorization: `Bearer ${token}, Bearer ${token}` }],
      ["", { authorization: "Bearer" }],
      ["", { authorization: `Bearer ${Buffer.from(token).toString("hex")}` }],
    ];
    for (const [query, headers] of places) {
      const response = await app.ask(`${base}/feed${query}`, { headers });
      expect([headers, response.status]).toEqual([headers, 401]);
    }
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token} `])
      expect([authorization, (await app.ask(`${base}/feed`, { headers: { authorization } })).status]).toEqual(
        [authorization, 200],
      );
  });

  test("is refused from the next request after revocation, and exactly from its expiry", async () => {
    const first = await app.mint(["feed:read"], { name: "leaver" });
    const short = await app.mint(["feed:read"], { expires_at: app.clock.now() + secondMicros });
    const status = async (token: string) => (await app.ask(`${base}/feed`, { token })).status;
    expect([await status(first), await status(short)]).toEqual([200, 200]);
    await app.ctx.data.atomically((writes) => writes.revokeToken("leaver", app.clock.now()));
    expect([await status(first), await status(short)]).toEqual([401, 200]);
    app.clock.advance(secondMicros);
    expect(await status(short)).toBe(401);
  });
});

test("public operations need no token and ignore an invalid one", async () => {
  await using app = await openApp("sqlite");
  const open = operations.filter((one) => one.scope === "public");
  expect(open.map((one) => one.op.id)).toContain("getInfo");
  for (const { path } of open) {
    for (const token of [undefined, "nonsense", generateToken()])
      expect([path, (await app.ask(path, { ...(token && { token }) })).status]).toEqual([path, 200]);
  }
});

describe("tokens from the configuration", () => {
  test("work alongside database tokens with their own scopes; the shared token has all scopes", async () => {
    const env = {
      SVC_API_TOKENS: "reader-token:feed:read ; writer-token:feed:write,feed:read",
      SVC_MEMORY_TOKEN: "shared-secret",
    };
    await using app = await openApp("sqlite", env);
    const append = { json: { events: [event()] } };
    const statuses = async (token: string) => [
      (await app.ask(`${base}/feed`, { token })).status,
      (await app.ask(`${base}/events`, { token, ...append })).status,
    ];
    expect(await statuses("reader-token")).toEqual([200, 403]);
    expect(await statuses("writer-token")).toEqual([200, 200]);
    expect(await statuses("shared-secret")).toEqual([200, 200]);
    expect(await statuses(await app.mint(["feed:read"]))).toEqual([200, 403]);
    for (const { path, method } of guarded) {
      const response = await app.ask(path, { method, token: "shared-secret" });
      expect([path, [401, 403].includes(response.status)]).toEqual([path, false]);
      await response.body?.cancel();
    }
    expect(await statuses("reader-toke")).toEqual([401, 401]);
  });
});

describe("public read", () => {
  test("opens only reads of the feed and memory: without a token, with an invalid one, or without the scope", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const narrow = await app.mint(["assets:review"]);
    for (const token of [undefined, "nonsense", narrow]) {
      for (const { path, method, scope } of guarded) {
        const response = await app.ask(path, { method, ...(token && { token }) });
        const open = publicScopes.has(scope) || (scope === "assets:review" && token === narrow);
        expect([path, token, [401, 403].includes(response.status)]).toEqual([path, token, !open]);
        await response.body?.cancel();
      }
    }
  });

  test("is off by default, and on in mock mode", async () => {
    await using app = await openApp("sqlite");
    expect((await app.ask(`${base}/feed`)).status).toBe(401);
    expect(await (await app.ask(`${base}/info`)).json()).toMatchObject({ public_read: false });
    await using open = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    expect(await (await open.ask(`${base}/info`)).json()).toMatchObject({ public_read: true });
  });
});

describe.each(dialects)("a token of some projects on %s", (dialect) => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    ask = app.ask;
    for (const slug of ["atlas", "borealis", "cetus"]) await link(app.ctx.data, slug);
    const seen = [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event(),
      event({ project: "atlas" }),
    ];
    await app.ctx.data.atomically((writes) => writes.append(seen));
    token = await app.mint(["feed:read", "feed:write"], { projects: ["atlas", "cetus", "never-linked"] });
  });
  afterAll(() => app.close());
  const json = async (path: string) =>
    (await ask(base + path, { token })).json() as Promise<Record<string, { [key: string]: unknown }[]>>;

  test("reads its own projects and lists no others", async () => {
    expect(must((await json("/feed")).events).map((one) => one.id)).toEqual([4, 1]);
    expect((await json("/feed?project=borealis")).events).toEqual([]);
    expect(must((await json("/projects")).projects).map((one) => one.slug)).toEqual(["atlas", "cetus"]);
    expect((await ask(`${base}/projects/atlas`, { token })).status).toBe(200);
  });

  test("gets the same response for another project as for a missing one", async () => {
    const answers = await Promise.all(
      ["borealis", "no-such"].map((slug) => ask(`${base}/projects/${slug}`, { token })),
    );
    const [hidden, missing] = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map((answer) => answer.status)).toEqual([404, 404]);
    expect(must(hidden).replaceAll("borealis", "no-such")).toBe(must(missing));
  });

  test("writes to its own projects only, and cannot detect others", async () => {
    const post = async (said: object) => {
      const response = await ask(`${base}/events`, {
        token,
        json: { events: [event({ project: "atlas" }), { ...event(), ...said }] },
      });
      return { status: response.status, text: await response.text() };
    };
    expect((await post({ project: "cetus" })).status).toBe(200);
    const head = await app.ctx.data.head();
    const [hidden, missing] = [await post({ project: "borealis" }), await post({ project: "no-such" })];
    expect([hidden.status, missing.status]).toEqual([400, 400]);
    expect(hidden.text.replaceAll("borealis", "no-such")).toBe(missing.text);
    expect((await post({})).status).toBe(400);
    expect(await post({ repo: "acme/borealis" })).toEqual(await post({ repo: "acme/nothing" }));
    expect(await app.ctx.data.head()).toBe(head);
  });
});

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
    const asked: [string, TestRequest, number][] = [
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
    for (const [path, init, status] of asked) {
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

describe.each(dialects)("the signing secret on %s", (dialect) => {
  test("is generated once, even if several processes need it at the same time", async () => {
    await using app = await openApp(dialect);
    const others = await Promise.all(
      Array.from({ length: 4 }, () => openData(app.url, { now: app.clock.now, log() {} })),
    );
    const secrets = await Promise.all([app.ctx.data, ...others].map(signingSecret));
    await Promise.all(others.map((data) => data.close()));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[\w-]{43}$/);
    expect(await signingSecret(app.ctx.data)).toBe(must(secrets[0]));
  });
});
