/**
 * Bytes outside ASCII in headers, cookies, form fields and URLs: a refusal like any other, never an
 * unexpected error.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashToken } from "../../../src/core/auth/token.ts";
import { freshDatabase, programToken, rowsOf, startServer, until } from "../../support/harness.ts";
import { openRawConnection } from "../../support/http/raw-http.ts";
import { type Library, openLibrary } from "../../support/library.ts";

/** As long as what is expected in its place, but longer in bytes. */
const lookalike = (length: number): string => "é".repeat(length);

describe("text that is as long as the secret it is compared with, but not ASCII,", () => {
  let library: Library;
  let origin: string;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk", { SVC_GITHUB_WEBHOOK_SECRET: "a secret" });
    origin = library.listen();
  });
  afterAll(() => library.close());

  /**
   * Sends a request with its headers byte by byte as given: Latin-1 and UTF-8, which no client library lets
   * through.
   */
  async function statusOf(
    method: string,
    path: string,
    headers: Record<string, string>,
    body = "",
  ): Promise<number[]> {
    const statuses: number[] = [];
    for (const encoding of ["latin1", "utf8"] as const) {
      const lines = Object.entries({ Host: "svc.test", Connection: "close", ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      const line = openRawConnection(origin);
      await line.send(
        Buffer.from(
          `${method} ${path} HTTP/1.1\r\n${lines.join("")}Content-Length: ${body.length}\r\n\r\n${body}`,
          encoding,
        ),
      );
      await until(() => line.statuses().length > 0, "an answer");
      line.close();
      statuses.push(...line.statuses());
    }
    return statuses;
  }

  test.each([43, 32])(
    "of %d characters in any header of any route is no unexpected error",
    async (length) => {
      library.logged.length = 0;
      const text = lookalike(length);
      const signed = `${hashToken("x")}.9999999999.nonce.${text}`;
      const values = [
        text,
        signed,
        `svc_session=${text}`,
        `svc_session=${signed}`,
        `svc_form=${text}`,
        `Bearer ${text}`,
        `sha256=${text}`,
      ];
      const names = [
        ...[
          "Cookie",
          "Authorization",
          "X-CSRF-Token",
          "X-Hub-Signature-256",
          "X-GitHub-Event",
          "X-GitHub-Delivery",
          "Origin",
        ],
        ...[
          "If-None-Match",
          "If-Range",
          "Range",
          "Accept",
          "Accept-Encoding",
          "Content-Type",
          "X-Request-Id",
          "X-Forwarded-For",
        ],
        ...[
          "Last-Event-ID",
          "Idempotency-Key",
          "Mcp-Session-Id",
          "MCP-Protocol-Version",
          "Mcp-Method",
          "Mcp-Name",
        ],
      ];
      const routes = [
        ...[
          "GET /",
          "GET /sign-in",
          "POST /sign-in",
          "POST /sign-out",
          "POST /assets/upload",
          "GET /web/feed",
          "PUT /web/assets/x/review",
        ],
        ...[
          "GET /api/v1/feed",
          "POST /api/v1/events",
          "POST /mcp",
          "POST /api/hooks/github",
          "GET /metrics",
          "GET /openapi.json",
        ],
        ...["PUT /api/assets/upload/x/1-a/b", "GET /api/assets/view/x/1-a/b"],
      ];
      for (const route of routes) {
        const [method = "", path = ""] = route.split(" ");
        const all = names.flatMap((name) => values.map((value) => [name, value] as const));
        await Promise.all(
          all.map(async ([name, value]) => {
            for (const status of await statusOf(method, path, { [name]: value }))
              expect([route, name, value, status < 500]).toEqual([route, name, value, true]);
          }),
        );
      }
      expect(library.logged).toEqual([]);
    },
  );

  test.each([43, 32, 22])("of %d characters is no CSRF token and no signature of a URL", async (length) => {
    library.logged.length = 0;
    const text = lookalike(length);
    const fields = { csrf: text, token: text };
    const headers = { origin: "http://svc.test" };
    const post = (path: string, body: BodyInit) => library.ask(path, { method: "POST", body, headers });
    expect((await post("/sign-in", new URLSearchParams(fields))).status).toBe(403);
    const form = new FormData();
    form.set("csrf", text);
    expect((await post("/assets/upload", form)).status).toBe(403);
    const asset = (await library.upload({ project: "atlas" })).body;
    for (const purpose of ["view", "thumb", "bundle"])
      for (const sealed of [`9999999999-${text}`, `9999999999-${encodeURIComponent(text)}`])
        expect((await library.ask(`/api/assets/${purpose}/${asset.id}/${sealed}/a.txt`)).status).toBe(403);
    expect(
      (
        await library.ask(`/api/assets/upload/${asset.id}/9999999999-${encodeURIComponent(text)}`, {
          method: "PUT",
          body: "x",
        })
      ).status,
    ).toBe(403);
    expect(library.logged).toEqual([]);
  });
});

describe("the log of `svc serve`", () => {
  test("turns equal errors of a second into one line with their count, and loses none of them", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    // The workers of a server that starts may hold the lock.
    const broken = () =>
      rowsOf(database.url, "alter table projects rename to elsewhere").then(Boolean, () => false);
    await until(broken, "the table is gone");
    const headers = { authorization: `Bearer ${programToken}` };
    const begun = performance.now();
    const requestCount = 400;
    for (let at = 0; at < requestCount; at += 20) {
      const answers = Array.from({ length: 20 }, (_, index) =>
        fetch(`${server.origin}/api/v1/projects?limit=7&at=${at + index}`, { headers }),
      );
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 500));
    }
    expect(await server.terminate()).toBe(0);
    await server.ended;
    const seconds = Math.ceil((performance.now() - begun) / 1000);
    const lines = server
      .errors()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { message: string; count?: number });
    const failures = lines.filter((line) => line.message === "unexpected error");
    expect(failures.length).toBeLessThanOrEqual(seconds + 2);
    expect(failures.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(requestCount);
  });
});
