/** An error is a problem document. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ProblemDocument } from "../../../src/core/problem.ts";
import { unavailable } from "../../../src/core/problem.ts";
import { openApp, type TestApp } from "../../support/harness.ts";

const base = "/api/v1";

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

  test("for an unknown project links to the list of projects", async () => {
    const response = await ask(`${base}/projects/no-such`, { token });
    expect(response.headers.get("link")).toBe(`<${base}/projects>; rel="collection"`);
    const listed = await ask(`${base}/projects`, { token });
    expect([listed.status, listed.headers.has("link")]).toEqual([200, false]);
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
      ["DELETE", `${base}/projects/atlas`, "PUT, GET, HEAD, OPTIONS"],
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
