/** HTTP behavior of every API response: headers, errors, methods, CORS and hosts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondMicros } from "../../src/lib/time.ts";
import type { ProblemDocument } from "../../src/problem.ts";
import { unavailable } from "../../src/problem.ts";
import { dialects, event, must, openApp, type TestApp, until } from "../support/harness.ts";

const base = "/api/v1";

describe.each(dialects)("reading on %s", (dialect) => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    ask = app.ask;
    token = await app.mint(["feed:read", "feed:write"]);
    const { data } = app.ctx;
    await data.atomically(async (writes) => {
      const lanes = ["lane_a"];
      await writes.linkProject(
        { slug: "atlas", repo: "acme/atlas", stack: "bun", summary: "Maps", check_cmd: "bun test", lanes },
        1,
      );
      await writes.linkProject({ slug: "borealis", repo: "acme/borealis" }, 1);
      await writes.linkProject({ slug: "idle", repo: "acme/idle" }, 1);
      const model = { provider: "acme", refreshed_at: null, guidance_count: 2, skill_count: 1 };
      await writes.saveModel({
        ...model,
        id: "fresh",
        lanes: ["lane_a", "lane_b"],
        onboarded_at: app.clock.now() - 30 * 86_400 * secondMicros,
      });
      await writes.saveModel({
        ...model,
        id: "old",
        lanes: ["lane_a"],
        onboarded_at: app.clock.now() - 31 * 86_400 * secondMicros,
      });
      await writes.saveModel({ ...model, id: "other", lanes: ["lane_b"], onboarded_at: null });
      const decision = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe" };
      const first = await writes.addDecision({ ...decision, text: "Use maps", valid_from: 1_000_000 });
      await writes.addDecision({
        ...decision,
        text: "Use globes",
        valid_from: 2_000_000,
        supersedes: must(first).id,
      });
      await writes.append(
        Array.from({ length: 60 }, (_, index) =>
          event({
            project: index % 2 ? "atlas" : "borealis",
            summary: `${index}`,
            payload: { raw: 1 },
            dedupe_key: `secret-${index}`,
          }),
        ),
      );
    });
  });
  afterAll(() => app.close());

  const get = async (path: string) => {
    const response = await ask(base + path, { token });
    expect(response.headers.get("content-type")).toBe("application/json");
    return response.json() as Promise<
      Record<string, unknown> & { [list: string]: Record<string, unknown>[] }
    >;
  };

  test("the feed returns the 50 newest events by default, without payloads and dedupe keys", async () => {
    const page = await get("/feed");
    expect(page.count as unknown).toBe(50);
    expect(must(page.events).map((one) => one.summary)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${59 - index}`),
    );
    expect(page.next_before as unknown).toBe(must(page.events)[49]?.ts);
    expect(JSON.stringify(page)).not.toMatch(/raw|secret/);
    expect(must((await get("/feed?limit=200")).events).length).toBe(60);
  });

  test("projects are sorted by last activity and paginated with a cursor", async () => {
    const all = await get("/projects");
    expect(must(all.projects).map((one) => one.slug)).toEqual(["atlas", "borealis", "idle"]);
    expect([all.count, all.next_cursor] as unknown).toEqual([3, null]);
    const seen: unknown[] = [];
    for (let cursor: unknown = ""; cursor !== null; ) {
      const page = await get(`/projects?limit=1${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...must(page.projects).map((one) => one.slug));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(["atlas", "borealis", "idle"]);
  });

  test("a project includes its current decisions, lane models and 20 newest events", async () => {
    const atlas = await get("/projects/atlas");
    expect(atlas).toMatchObject({
      ...{
        slug: "atlas",
        repo: "acme/atlas",
        stack: "bun",
        summary: "Maps",
        check_cmd: "bun test",
        lanes: ["lane_a"],
      },
      ...{
        openIssues: 0,
        decisionsCount: 1,
        digest: { digested: 0, total: 30 },
        lastActivity: must(atlas.events)[0]?.ts,
      },
    });
    const said = (id: number, text: string) => ({
      ...{
        id,
        project: "atlas",
        text,
        source: "cli",
        source_ref: null,
        valid_from: `1970-01-01T00:00:0${id}.000000Z`,
      },
    });
    expect(must(atlas.decisions)).toEqual([{ ...said(2, "Use globes"), superseded: said(1, "Use maps") }]);
    expect(must(atlas.models).map((one) => [one.id, one.status, one.stale_days])).toEqual([
      ["fresh", "ready", 30],
      ["old", "stale", 31],
    ]);
    expect(must(atlas.events).map((one) => one.summary)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${59 - 2 * index}`),
    );
    expect(must((await get("/projects/idle")).models).map((one) => [one.id, one.status])).toEqual([
      ["fresh", "ready"],
      ["old", "stale"],
      ["other", "pending"],
    ]);
  });

  test("the info document lists the five rules, the task lifecycle and working links", async () => {
    const info = await get("/info");
    expect(must(info.rules).map((rule) => rule.n)).toEqual([1, 2, 3, 4, 5]);
    expect(must(info.task_flow).map((step) => step.n)).toEqual(
      must(info.task_flow).map((_, index) => index + 1),
    );
    expect(info).toMatchObject({
      name: "svc",
      data_mode: "db",
      public_read: false,
      site: "http://svc.test",
      license: "Apache-2.0",
    } as object);
    for (const [name, address] of Object.entries(info.links as unknown as Record<string, string>)) {
      expect([name, new URL(address).origin]).toEqual([name, "http://svc.test"]);
      const { pathname, search } = new URL(address);
      const response = await app.ask(pathname + search, { token });
      // A path that only supports POST exists too.
      expect([name, [200, 405].includes(response.status)]).toEqual([name, true]);
      await response.body?.cancel();
    }
  });

  test("HEAD returns the headers of GET with its Content-Length and no body", async () => {
    for (const path of [
      `${base}/info`,
      `${base}/feed`,
      `${base}/projects`,
      "/openapi.json",
      "/docs/api",
      "/healthz",
    ]) {
      const said = { token, headers: { "x-request-id": "one-of-two" } };
      const [head, full] = [await app.ask(path, { ...said, method: "HEAD" }), await app.ask(path, said)];
      expect([path, head.status]).toEqual([path, full.status]);
      const { byteLength } = await full.arrayBuffer();
      expect([path, head.headers.get("content-length")]).toEqual([path, String(byteLength)]);
      expect(await head.text()).toBe("");
      for (const [name, value] of full.headers)
        expect([path, name, head.headers.get(name)]).toEqual([path, name, value]);
    }
    const stream = await app.ask(`${base}/feed/stream`, { token, method: "HEAD" });
    expect([stream.status, stream.headers.get("content-type"), await stream.text()]).toEqual([
      200,
      "text/event-stream",
      "",
    ]);
    expect((await app.ask(`${base}/feed`, { method: "HEAD" })).status).toBe(401);
  });
});

describe("an error", () => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp("sqlite");
    ask = app.ask;
    token = await app.mint(["feed:read", "feed:write"]);
  });
  afterAll(() => app.close());

  const unknownPaths = [
    ...[
      "",
      "/",
      "/nothing",
      "/feed/",
      "//feed",
      "/feed/stream/more",
      "/projects/",
      "/projects/a/b",
      "/events/1",
      "/Feed",
      "/info.json",
    ],
    ...[
      "/projects/no-such",
      "/projects/__proto__",
      "/projects/constructor",
      "/projects/%00",
      "/projects/%zz",
      "/projects/%ff",
      "/projects/a%2Fb",
    ],
    ...[
      "/projects/..%2f..%2fetc%2fpasswd",
      `/projects/${"a".repeat(64)}`,
      "/projects/A",
      "/projects/-a",
      "/__proto__",
    ],
    ...["/assets-nothing", "/%E0%A4%A", "/projects/a%20b", "/projects/%F0%9F%9A%80"],
  ];
  test.each(unknownPaths)("of the path /api/v1%s is a problem document, never a page", async (path) => {
    const response = await ask(base + path, { token });
    expect([400, 404]).toContain(response.status);
    const problem = (await response.json()) as ProblemDocument;
    expect(problem).toEqual({
      type: "http://svc.test/docs/api#errors",
      title: response.status === 404 ? "Not Found" : "Bad Request",
      status: response.status,
      detail: expect.any(String) as unknown as string,
      instance: base + path,
    });
  });

  test("contains the path without its query and a detail", async () => {
    const response = await ask(`${base}/feed?limit=0&project=atlas`, { token });
    expect(await response.json()).toEqual({
      ...{
        type: "http://svc.test/docs/api#errors",
        title: "Bad Request",
        status: 400,
        instance: `${base}/feed`,
      },
      detail: "limit must be an integer from 1 to 200.",
    });
  });

  test("outside the API is a problem document too", async () => {
    for (const path of ["/nothing", "/api/v2/feed", "/API/v1/info", "/.git/config", "/%zz"]) {
      const response = await app.ask(path);
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        404,
        "application/problem+json",
      ]);
    }
  });

  test("for an unsupported method is a 405 that lists the supported ones", async () => {
    const cases: [string, string, string][] = [
      ["POST", `${base}/feed`, "GET, HEAD, OPTIONS"],
      ["PUT", `${base}/feed`, "GET, HEAD, OPTIONS"],
      ["DELETE", `${base}/projects/atlas`, "GET, HEAD, OPTIONS"],
      ["PATCH", `${base}/info`, "GET, HEAD, OPTIONS"],
      ["GET", `${base}/events`, "POST, OPTIONS"],
      ["HEAD", `${base}/events`, "POST, OPTIONS"],
      ["DELETE", `${base}/events`, "POST, OPTIONS"],
      ["POST", "/openapi.json", "GET, HEAD"],
      ["GET", "/api/hooks/github", "POST"],
      ["DELETE", "/healthz", "GET, HEAD"],
    ];
    for (const [method, path, allow] of cases) {
      const response = await app.ask(path, { method, token });
      expect([method, path, response.status, response.headers.get("allow")]).toEqual([
        method,
        path,
        405,
        allow,
      ]);
      if (method !== "HEAD")
        expect(await response.json()).toMatchObject({
          title: "Method Not Allowed",
          status: 405,
          instance: path,
        });
    }
  });

  test("that is unexpected is a 500 without details; the log has it once, without the token", async () => {
    await using broken = await openApp("sqlite");
    const token = await broken.mint(["feed:read"]);
    broken.ctx.data.project = () => Promise.reject(new Error("select * from secrets at /etc/shadow"));
    const response = await broken.ask(`${base}/projects/atlas?x=1`, { token });
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      status: 500,
      title: "Internal Server Error",
      instance: `${base}/projects/atlas`,
    });
    expect(text).not.toMatch(/secrets|shadow|at .*\.ts/);
    const lines = broken.logged.filter((line) => line.level === "error");
    expect(lines.length).toBe(1);
    expect(JSON.stringify(lines)).toContain("select * from secrets");
    expect(JSON.stringify(broken.logged)).not.toContain(token);
  });

  test("for an unavailable database is a 503 with Retry-After, even if it fails on the token lookup", async () => {
    await using away = await openApp("sqlite", { SVC_RATE_LIMIT: "10/60" });
    const token = await away.mint(["feed:read"]);
    away.ctx.data.token = () => Promise.reject(unavailable("The database does not answer; try again."));
    const response = await away.ask(`${base}/feed`, { token });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(response.headers.get("ratelimit")).toBe('"default";r=9;t=60');
  });
});

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
      expect(answer.headers.get("vary")).toMatch(/(^|, )Origin$/);
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

describe("a request with an unusual Host", () => {
  /**
   * Sends bytes as they are. @returns everything that comes back until the other side closes, or nothing more
   * comes
   */
  async function raw(origin: string, text: string): Promise<string> {
    let said = "";
    let closed = false;
    const { hostname, port } = new URL(origin);
    const socket = await Bun.connect({
      ...{ hostname, port: Number(port) },
      socket: {
        data: (_, chunk) => void (said += chunk.toString("latin1")),
        close: () => void (closed = true),
      },
    });
    socket.write(text);
    await until(() => closed || /\r\n\r\n[\s\S]*\}/.test(said), "an answer");
    socket.end();
    return said;
  }

  test("of less than four characters is routed by its path, not by what stands eleven characters in", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const origin = app.listen();
    for (const host of ["x", "xy", "a.b"]) {
      const shifted = `${"/abcdef".slice(0, 5 - host.length)}${base}/info`;
      const answer = await raw(
        origin,
        `GET ${shifted} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).toContain("application/problem+json");
      expect(
        await raw(origin, `GET ${base}/info HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test("that is missing or has an invalid port is refused without a page or stack trace", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const origin = app.listen();
    for (const head of [
      `GET ${base}/info HTTP/1.0\r\n\r\n`,
      `GET ${base}/info HTTP/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n`,
    ]) {
      const answer = await raw(origin, head);
      expect(answer).toMatch(/^HTTP\/1\.[01] (200|4\d\d) /);
      expect(answer).not.toMatch(/<html|at .*\.ts/i);
    }
  });

  test("of somebody else's is never repeated in a link", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const origin = app.listen();
    for (const path of [
      `${base}/info`,
      `${base}/nothing`,
      "/openapi.json",
      "/docs/api",
      "/.well-known/oauth-protected-resource",
    ]) {
      const headers = {
        host: "evil.example",
        "x-forwarded-host": "evil.example",
        forwarded: "host=evil.example",
      };
      const response = await fetch(origin + path, { headers });
      expect(await response.text()).not.toContain("evil.example");
      expect(JSON.stringify([...response.headers])).not.toContain("evil.example");
    }
  });
});

test("every response has nosniff, and dynamic responses are not cached", async () => {
  await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
  for (const path of [`${base}/info`, `${base}/feed?limit=x`, `${base}/nothing`]) {
    const response = await app.ask(path);
    expect([
      path,
      response.headers.get("x-content-type-options"),
      response.headers.get("cache-control"),
    ]).toEqual([path, "nosniff", "no-store"]);
  }
});

test("a machine-readable document returns 304 if the client has it", async () => {
  await using app = await openApp("sqlite");
  for (const path of [
    "/openapi.json",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
  ]) {
    const first = await app.ask(path);
    const etag = must(first.headers.get("etag"));
    for (const known of [etag, `"x", ${etag}`, `W/${etag}`]) {
      const again = await app.ask(path, { headers: { "if-none-match": known } });
      expect([path, known, again.status, await again.text()]).toEqual([path, known, 304, ""]);
    }
    expect((await app.ask(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  }
});
