/** Reading over HTTP: pages, fields, methods and caching. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { event, must, oneDialect, openApp, type TestApp, until } from "../../support/harness.ts";

const base = "/api/v1";

describe.each(oneDialect)("reading on %s", (dialect) => {
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
    const found: unknown[] = [];
    for (let cursor: unknown = ""; cursor !== null; ) {
      const page = await get(`/projects?limit=1${cursor ? `&cursor=${cursor}` : ""}`);
      found.push(...must(page.projects).map((one) => one.slug));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(["atlas", "borealis", "idle"]);
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
    const eventWith = (id: number, text: string) => ({
      ...{
        id,
        project: "atlas",
        text,
        source: "cli",
        source_ref: null,
        run_id: null,
        standing: "confirmed" as const,
        valid_from: `1970-01-01T00:00:0${id}.000000Z`,
      },
    });
    expect(must(atlas.decisions)).toEqual([
      { ...eventWith(2, "Use globes"), superseded: eventWith(1, "Use maps") },
    ]);
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
      const fields = { token, headers: { "x-request-id": "one-of-two" } };
      const [head, full] = [await app.ask(path, { ...fields, method: "HEAD" }), await app.ask(path, fields)];
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

describe("a request with an unusual Host", () => {
  /**
   * Sends bytes as they are. @returns everything that comes back until the other side closes, or nothing more
   * comes
   */
  async function raw(origin: string, text: string): Promise<string> {
    let output = "";
    let closed = false;
    const { hostname, port } = new URL(origin);
    const socket = await Bun.connect({
      ...{ hostname, port: Number(port) },
      socket: {
        data: (_, chunk) => void (output += chunk.toString("latin1")),
        close: () => void (closed = true),
      },
    });
    socket.write(text);
    await until(() => closed || /\r\n\r\n[\s\S]*\}/.test(output), "an answer");
    socket.end();
    return output;
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

  test("of another host is never repeated in a link", async () => {
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
    for (const existing of [etag, `"x", ${etag}`, `W/${etag}`]) {
      const again = await app.ask(path, { headers: { "if-none-match": existing } });
      expect([path, existing, again.status, await again.text()]).toEqual([path, existing, 304, ""]);
    }
    expect((await app.ask(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  }
});
