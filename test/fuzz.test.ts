/**
 * Requests made from the OpenAPI document, right and wrong in every way we know: no answer is a 500 or
 * another than the document says.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { generateToken } from "../src/core/auth/token.ts";
import type { Asset } from "../src/library/assets/schema.ts";
import { measured, reached, times } from "./faults/promises.ts";
import { anyDelivery } from "./fuzz/deliveries.ts";
import { anyMessage } from "./fuzz/messages.ts";
import { anyPage } from "./fuzz/pages.ts";
import { anyRequest, type Document, type FuzzedRequest } from "./fuzz/requests.ts";
import { anyTelemetry } from "./fuzz/telemetry.ts";
import { forgeEnv } from "./support/forges/forge-deliveries.ts";
import { secret as webhookSecret } from "./support/forges/github-webhooks.ts";
import { must, type Server, type TestRequest } from "./support/harness.ts";
import { type OpenapiDocument, openapiValidator } from "./support/http/openapi-answers.ts";
import { seed } from "./support/seed.ts";
import { openTestServer } from "./support/test-server.ts";

const rounds = times("fuzz");
const workers = 4;
const signingSecret = "a canary for signatures";

/** A server over the network, asked as an app in this process is; of a stream only its head is waited for. */
const over =
  (server: Server) =>
  async (path: string, { token: _, json: __, address: ___, ...init }: TestRequest = {}) => {
    const gone = new AbortController();
    const response = await fetch(server.origin + path, { ...init, signal: gone.signal, redirect: "manual" });
    if (response.headers.get("content-type") !== "text/event-stream") return response;
    gone.abort();
    return new Response(null, { status: response.status, headers: response.headers });
  };

const memoryOf = ({ process }: Server) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process.pid}/status`, "latin1"))?.[1]) / 1024;

describe.each([
  ["sqlite", "disk"],
  ["postgres", "bucket"],
] as const)("on %s and %s", (dialect, place) => {
  test(`${rounds} requests of the seed ${seed}: no answer is unexpected, and no secret is logged`, async () => {
    await using testServer = await openTestServer(dialect, place, {
      ...{ ...forgeEnv, SVC_PUBLIC_READ: "" },
      SVC_GITHUB_WEBHOOK_SECRET: webhookSecret,
      SVC_SIGNING_SECRET: signingSecret,
    });
    const { server } = testServer;
    const ask = over(server);
    const document = (await (await ask("/openapi.json")).json()) as Document & OpenapiDocument;
    const requireDescribed = openapiValidator(document);
    const assets = await Promise.all(
      ["a.txt", "b.txt"].map((name) => testServer.upload(name, "some words") as Promise<Asset>),
    );
    const existing = {
      ...{
        project: ["atlas"],
        slug: ["atlas"],
        id: assets.map(({ id }) => id),
        replaces: assets.map(({ id }) => id),
      },
      ...{
        lane: ["lane_a"],
        actor: ["agent:codex"],
        sha256: assets.map((one) => must(one.sha256)),
        filename: ["a.txt"],
      },
    };
    const narrow = await testServer.mint("narrow", ["feed:read"]);
    const sender = await testServer.mint("sender", ["telemetry:write"]);
    const tokens: [string, ...string[]] = [testServer.token, narrow, sender, generateToken()];
    const check = async ({ path, ...init }: FuzzedRequest) => {
      const response = await ask(path, init);
      const { status } = response;
      // As it was sent: `/%2e` at its end is `/`.
      const { pathname } = new URL(`http://svc.test${path}`);
      // What speaks JSON-RPC and what is a page refuse in their own way; a head that is too large is refused
      // before it gets here.
      if (/^\/(api|media|\.well-known)\//.test(pathname) && status !== 431)
        await requireDescribed(pathname, init.method, response.clone());
      const text = await response.text();
      if (status === 500 || status === 503 || text.includes("Internal error. The server log"))
        throw new Error(`${init.method} ${path} → ${status} ${text} ${server.errors().slice(-1000)}`);
      if (text.includes(webhookSecret) || text.includes(signingSecret))
        throw new Error(`${init.method} ${path} tells a secret`);
    };
    const [cookie] = await testServer.session();
    const session = { cookie: `${must(cookie).name}=${must(cookie).value}`, origin: server.origin };
    const page = await (
      await fetch(`${server.origin}/methodology`, { headers: { cookie: session.cookie } })
    ).text();
    const csrf = must(/name="csrf" (?:value|content)="([^"]+)"/.exec(page)?.[1]);
    const any = fc.oneof(
      { weight: 12, arbitrary: anyRequest(document, existing, tokens) },
      { weight: 1, arbitrary: anyDelivery },
      { weight: 2, arbitrary: anyTelemetry(sender) },
      { weight: 1, arbitrary: anyMessage(testServer.token, existing) },
      { weight: 1, arbitrary: anyPage({ ...session, csrf }, existing) },
    );
    const run = (numRuns: number, part: number) =>
      fc.assert(fc.asyncProperty(any, check), {
        numRuns,
        seed: seed + part,
        endOnFailure: numRuns > 10_000,
      });
    const quarter = Math.ceil(rounds / 4 / workers);
    const least: number[] = [];
    for (let part = 0; part < 4; part++) {
      let memory = memoryOf(server);
      const looking = setInterval(() => (memory = Math.min(memory, memoryOf(server))), 100);
      await Promise.all(
        Array.from({ length: workers }, (_, worker) => run(quarter, part * workers + worker)),
      ).finally(() => clearInterval(looking));
      least.push(memory);
    }
    // The least of a quarter: what is left when garbage was collected. In the first ones caches fill.
    measured("fuzzMemory", Math.max(0, (must(least[3]) / must(least[2]) - 1) * 100));
    reached("fuzz", quarter * workers * 4);
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    const log = server.errors() + server.output();
    expect(log).not.toContain('"level":"error"');
    for (const secret of [...tokens, webhookSecret, signingSecret]) expect(log.includes(secret)).toBe(false);
    expect(log).not.toMatch(/\/\d{10}-[\w-]{32}/);
    reached("canaries", quarter * workers * 4);
    expect(await server.terminate()).toBe(0);
  });
});
