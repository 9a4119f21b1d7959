/** The OTLP receiver: what it takes, and how it answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { unavailable } from "../../../src/core/problem.ts";
import { batchLength, batchOf } from "../../bench/append/telemetry.ts";
import { dialects, link, openApp, type TestApp } from "../../support/harness.ts";
import {
  chat,
  encodings,
  inProject,
  readRejected,
  readStatus,
  send,
} from "../../support/telemetry/otlp-server.ts";

const MiB = 2 ** 20;

describe.each(dialects)("on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await link(app.ctx.data, "beacon");
    token = await app.mint(["telemetry:write"]);
  });
  afterAll(() => app.close());

  const events = async (project: string) => {
    const rows = await app.ctx.data.feed(null, { project, limit: 5_000, order: "oldest first" });
    return rows.map(({ wire }) => JSON.parse(wire) as { tokens_in: number; run_id: string; actor: string });
  };
  const tokensIn = async (project: string) => (await events(project)).map(({ tokens_in }) => tokens_in);

  test.each(["protobuf", "json"] as const)("a call of a model in %s becomes an event", async (encoding) => {
    const project = `in-${encoding}`;
    await link(app.ctx.data, project);
    const spans = [chat(1), { ...chat(2), attributes: { "http.method": "GET" } }, chat(3)];
    const response = await send(app, { resource: inProject(project), spans }, { token, encoding });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, encodings[encoding].type]);
    expect(await response.text()).toBe(encoding === "json" ? "{}" : "");
    expect(await events(project)).toMatchObject([
      { kind: "step.usage", actor: "agent:crew", run_id: "session-1", model: "gpt-6", tokens_in: 101 },
      { tokens_in: 103, tokens_out: 10, duration_ms: 1_500 },
    ]);
  });

  test("gzip and chunked bodies without a length are read", async () => {
    await link(app.ctx.data, "forms");
    const request = (index: number) => ({ resource: inProject("forms"), spans: [chat(index)] });
    expect((await send(app, request(1), { token, gzip: true })).status).toBe(200);
    expect((await send(app, request(2), { token, gzip: true, encoding: "json" })).status).toBe(200);
    const body = encodings.protobuf.encode(request(3));
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 50) controller.enqueue(body.subarray(at, at + 50));
        controller.close();
      },
    });
    const response = await fetch(`${app.listen()}/api/otlp/v1/traces`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/x-protobuf" },
      body: pieces,
    });
    expect(response.status).toBe(200);
    expect(await tokensIn("forms")).toEqual([101, 102, 103]);
  });

  test("an empty request is a success", async () => {
    const empty = { logs: [], resource: {} };
    for (const encoding of ["protobuf", "json"] as const)
      expect((await send(app, empty, { token, encoding })).status).toBe(200);
    for (const signal of ["logs", "traces", "metrics"])
      for (const [type, body] of [
        ["application/x-protobuf", ""],
        ["application/json; charset=utf-8", "{}"],
      ] as const) {
        const response = await app.ask(`/api/otlp/v1/${signal}`, {
          ...{ token, method: "POST", body, headers: { "content-type": type } },
        });
        expect([signal, response.status, await response.text()]).toEqual([signal, 200, body]);
      }
  });

  test("a request that is sent again adds nothing, in either encoding", async () => {
    await link(app.ctx.data, "again");
    const spans = [chat(1), chat(2), chat(1)];
    for (const encoding of ["protobuf", "json", "protobuf"] as const) {
      const response = await send(app, { resource: inProject("again"), spans }, { token, encoding });
      expect(await readRejected(response)).toBeNull();
    }
    expect(await tokensIn("again")).toEqual([101, 102]);
  });

  test("one request adds to several projects, in more than one transaction", async () => {
    const resources = ["atlas", "beacon"].map((project) => ({
      resource: inProject(project),
      spans: Array.from({ length: 1_100 }, (_, index) => chat(index)),
    }));
    const body = Buffer.concat(resources.map(encodings.protobuf.encode));
    const headers = { "content-type": "application/x-protobuf" };
    const response = await app.ask("/api/otlp/v1/traces", { token, method: "POST", headers, body });
    expect([response.status, await readRejected(response)]).toEqual([200, null]);
    expect([(await tokensIn("atlas")).length, (await tokensIn("beacon")).length]).toEqual([1_100, 1_100]);
    expect(new Set(await tokensIn("beacon")).size).toBe(1_100);
  });

  test.each([8, 1])("of the records of the benchmark, one in %d is an event", async (usageEvery) => {
    const project = `bench-${usageEvery}`;
    await link(app.ctx.data, project);
    const batch = batchOf(0, usageEvery);
    const resource = { ...batch.resource, "svc.project": project };
    for (const encoding of ["protobuf", "json"] as const)
      expect(await readRejected(await send(app, { ...batch, resource }, { token, encoding }))).toBeNull();
    const found = await events(project);
    expect(found).toHaveLength(batchLength / usageEvery);
    expect(found[0]).toMatchObject({ actor: "agent:claude-code", tokens_in: 1_200, cache_read: 90_000 });
  });

  test.each(["protobuf", "json"] as const)(
    "what fits no project is a partial success in %s",
    async (encoding) => {
      const place = { ...chat(1), attributes: { ...chat(1).attributes } };
      const narrow = await app.mint(["telemetry:write"], { projects: ["beacon"] });
      const unknown = await send(
        app,
        { resource: inProject("none"), spans: [place, chat(2)] },
        { token, encoding },
      );
      expect([unknown.status, await readRejected(unknown)]).toMatchObject([
        200,
        { count: 2, message: expect.stringMatching(/^2 records: .+\.$/) },
      ]);
      const foreign = await send(
        app,
        { resource: inProject("atlas"), spans: [chat(9_999)] },
        { token: narrow, encoding },
      );
      expect((await readRejected(foreign))?.count).toBe(1);
      expect((await tokensIn("atlas")).includes(10_099)).toBe(false);
    },
  );

  test.each(["protobuf", "json"] as const)("errors in %s are a google.rpc.Status", async (encoding) => {
    const valid = { resource: inProject("atlas"), spans: [chat(1)] };
    const type = encodings[encoding].type;
    const raw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      app.ask("/api/otlp/v1/traces", {
        token,
        method: "POST",
        body,
        headers: { "content-type": type, ...headers },
      });
    const reader = await app.mint(["feed:read"]);
    const cases: [number, number, Promise<Response>][] = [
      [401, 16, send(app, valid, { encoding })],
      [403, 7, send(app, valid, { encoding, token: reader })],
      [400, 3, raw("nonsense\u0001")],
      [400, 3, raw("no gzip", { "content-encoding": "gzip" })],
      [
        400,
        3,
        raw(gzipSync(encodings[encoding].encode(valid)).subarray(0, 40), { "content-encoding": "gzip" }),
      ],
      [415, 3, raw("", { "content-encoding": "br" })],
      [413, 8, raw(new Uint8Array(16 * MiB + 1))],
      [413, 8, raw(gzipSync(Buffer.alloc(17 * MiB)), { "content-encoding": "gzip" })],
    ];
    for (const [status, code, sent] of cases) {
      const response = await sent;
      const read = await readStatus(response);
      expect([response.status, response.headers.get("content-type"), read.code]).toEqual([
        status,
        type,
        code,
      ]);
      expect(read.message).toMatch(/^[A-Z].+\.$/);
    }
    expect((await send(app, valid, { encoding })).headers.get("www-authenticate")).toContain(
      "telemetry:write",
    );
  });

  test("another content type is a 415, another method a 405, and another path a 404", async () => {
    const headers = { "content-type": "text/plain" };
    const sent = await app.ask("/api/otlp/v1/logs", { token, method: "POST", headers, body: "x" });
    expect([sent.status, sent.headers.get("content-type")]).toEqual([415, "application/problem+json"]);
    const got = await app.ask("/api/otlp/v1/logs", { token });
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await app.ask("/api/otlp/v1/profiles", { token, method: "POST", body: "x" })).status).toBe(404);
  });

  test("tokens with telemetry:write or feed:write may send, and no other", async () => {
    const spans = { resource: inProject("atlas"), spans: [] };
    const statusOf = async (...scopes: Parameters<TestApp["mint"]>[0]) =>
      (await send(app, spans, { token: await app.mint(scopes) })).status;
    expect(await statusOf("feed:write")).toBe(200);
    expect(await statusOf("telemetry:write", "feed:read")).toBe(200);
    expect(await statusOf("feed:read", "memory:write", "assets:write")).toBe(403);
    expect((await app.ask("/api/v1/events", { token, json: { events: [] } })).status).toBe(403);
  });
});

describe("trouble", () => {
  test.each([
    ["an unavailable database", () => unavailable("The database is not responding.")],
    ["an unexpected error", () => new Error("broken")],
  ])("with %s is a 503 that senders repeat, and the repetition adds the data", async (_, error) => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const token = await app.mint(["telemetry:write"]);
    const { append } = app.ctx.data;
    const telemetry = { resource: inProject("atlas"), spans: [chat(1)] };
    app.ctx.data.append = () => Promise.reject(error());
    const failed = await send(app, telemetry, { token });
    expect([failed.status, failed.headers.get("retry-after"), (await readStatus(failed)).code]).toEqual([
      503,
      "2",
      14,
    ]);
    app.ctx.data.append = append;
    expect((await send(app, telemetry, { token })).status).toBe(200);
    expect(await app.ctx.data.feed(null, { limit: 10 })).toHaveLength(1);
  });

  test("over the rate limit, ten times that of the API, is a 429 with Retry-After", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "1/60" });
    const token = await app.mint(["telemetry:write"]);
    for (let sent = 0; sent < 10; sent++) expect((await send(app, { logs: [] }, { token })).status).toBe(200);
    const refused = await send(app, { logs: [] }, { token });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await readStatus(refused)).code).toBe(8);
    expect(refused.headers.get("ratelimit-policy")).toBe('"telemetry";q=10;w=60');
  });

  test("in the demo is a 501", async () => {
    await using app = await openApp("sqlite", { SVC_DATA_MODE: "mock" });
    const token = await app.mint(["telemetry:write"]);
    expect((await send(app, { logs: [] }, { token })).status).toBe(501);
  });
});
