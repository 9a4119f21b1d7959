/** A token in the path of a telemetry request: its rights, and that it is never logged or returned. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { generateToken } from "../../../src/core/auth/token.ts";
import { useLinkedServer } from "../../support/agents/linked-server.ts";
import { link, openApp, programToken, type TestApp } from "../../support/harness.ts";
import { chat, encodings, inProject, readStatus, send } from "../../support/telemetry/otlp-server.ts";

const pathOf = (token: string, rest = "/v1/traces") => `/api/otlp/t/${token}${rest}`;

describe("a token in the path", () => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await openApp("sqlite", { SVC_RATE_LIMIT: "100/60" });
    await link(app.ctx.data, "atlas");
    token = await app.mint(["telemetry:write"], { name: "gemini" });
  });
  afterAll(() => app.close());

  const spans = { resource: inProject("atlas"), spans: [chat(1)] };
  const lines = async () =>
    JSON.stringify([app.logged, await app.ctx.data.audit({ limit: 200 }), app.ctx.metrics.text()]);

  test("that can only send telemetry sends it, in both encodings", async () => {
    for (const encoding of ["protobuf", "json"] as const)
      expect((await send(app, spans, { encoding, path: pathOf(token) })).status).toBe(200);
    expect(await app.ctx.data.feed(null, { limit: 10 })).toHaveLength(1);
    const rows = await app.ctx.data.audit({ what: ["receiveTelemetry"], limit: 2 });
    expect(rows.at(-1)).toMatchObject({ who: "gemini", via: "api", project: "atlas" });
  });

  test.each([[["feed:write"]], [["telemetry:write", "feed:read"]], [allScopes], [["feed:read"]]] as const)(
    "with the scopes %j is a 403",
    async (scopes) => {
      const other = await app.mint(scopes);
      const refused = await send(app, spans, { path: pathOf(other) });
      expect([refused.status, (await readStatus(refused)).code]).toEqual([403, 7]);
    },
  );

  test("wins over the header, and is counted by the rate limit", async () => {
    const unknown = await send(app, spans, { path: pathOf(generateToken()), token });
    expect(unknown.status).toBe(401);
    const sent = await send(app, spans, { path: pathOf(token), token: "nonsense" });
    expect([sent.status, sent.headers.get("ratelimit-policy")]).toEqual([200, '"telemetry";q=1000;w=60']);
  });

  test("opens no other route", async () => {
    for (const method of ["GET", "HEAD"]) expect((await app.ask(pathOf(token), { method })).status).toBe(405);
    for (const path of [`/api/v1/t/${token}/feed`, `/api/v1/t/${token}/info`])
      expect((await app.ask(path)).status).toBe(404);
    for (const rest of ["/../../v1/feed", "/v1/logs/../../../v1/feed", "", "/", "//v1/traces"])
      expect((await app.ask(pathOf(token, rest), { method: "POST" })).status).toBe(404);
  });

  test("is in no response, log line, audit row or metric, whatever happens", async () => {
    const { append } = app.ctx.data;
    const unknown = generateToken();
    const paths = [token, unknown].flatMap((one) =>
      ["/v1/traces", "/v1/nothing", "", "/v1/traces?x=1", "/v1/traces/", "//v1/traces"].map((rest) =>
        pathOf(one, rest),
      ),
    );
    app.ctx.data.append = () => Promise.reject(new Error("broken"));
    const answers = [];
    for (const path of paths) {
      answers.push(await send(app, spans, { path }));
      answers.push(await send(app, spans, { path, headers: { "content-type": "text/plain" } }));
      for (const method of ["GET", "HEAD", "PUT", "OPTIONS"]) answers.push(await app.ask(path, { method }));
    }
    app.ctx.data.append = append;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503, 415, 404, 405, 401]));
    const told = await Promise.all(
      answers.map(async (one) => JSON.stringify([...one.headers]) + (await one.text())),
    );
    for (const text of [...told, await lines()])
      for (const one of [token, unknown, token.slice(4)]) expect(text).not.toContain(one);
    expect(told.filter((text) => text.includes('"instance":"/api/otlp/v1/traces"'))).not.toEqual([]);
  });
});

describe("a served program", () => {
  const linked = useLinkedServer();

  test("prints no token of a path", async () => {
    const { server } = linked;
    const marker = `svc_${"Marker".repeat(6)}abcd`;
    const { type, encode } = encodings.protobuf;
    const body = Uint8Array.from(encode({ resource: inProject("atlas"), spans: [chat(1)] }));
    for (const rest of ["/v1/traces", "/v1/other", ""])
      for (const one of [marker, programToken])
        await fetch(`${server.origin}${pathOf(one, rest)}`, {
          method: "POST",
          headers: { "content-type": type },
          body,
        });
    const metrics = await fetch(`${server.origin}/metrics`, {
      headers: { authorization: `Bearer ${programToken}` },
    });
    const text = await metrics.text();
    const counts = [...text.matchAll(/requests_total\{surface="telemetry",status="(\d+)"\} (\d+)/g)];
    expect(counts.map(([, status, count]) => [status, count])).toEqual([
      ["401", "1"],
      ["403", "1"],
      ["404", "4"],
    ]);
    const told = text + server.output() + server.errors();
    expect([marker, programToken].filter((secret) => told.includes(secret))).toEqual([]);
  });
});
