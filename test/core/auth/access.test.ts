/** Authorization: tokens, scopes, projects, expiry, challenges and rate limits. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { httpOperations } from "../../../src/api/operations/index.ts";
import { allScopes, grants, publicScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import { signingSecret } from "../../../src/core/auth/secret.ts";
import { generateToken } from "../../../src/core/auth/token.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import type { ProblemDocument } from "../../../src/core/problem.ts";
import {
  dialects,
  event,
  link,
  must,
  oneDialect,
  openApp,
  type TestApp,
  type TestRequest,
} from "../../support/harness.ts";
import { type Fresh, requests } from "../../support/http/scope-requests.ts";

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

describe.each(oneDialect)("an operation with a scope, on %s", (dialect) => {
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
      const others = allScopes.filter((one) => !grants(new Set([one]), scope as Scope));
      const token = await app.mint(others);
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
  const open = operations.filter((one) => one.scope === "public" && !one.op.token);
  expect(open.map((one) => one.op.id)).toContain("getInfo");
  for (const { op } of open) {
    const path = base + (await must(requests[op.id])({} as Fresh)).path;
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
    const found = [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event(),
      event({ project: "atlas" }),
    ];
    await app.ctx.data.atomically((writes) => writes.append(found));
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
    const post = async (fields: object) => {
      const response = await ask(`${base}/events`, {
        token,
        json: { events: [event({ project: "atlas" }), { ...event(), ...fields }] },
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
