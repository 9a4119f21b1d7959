/** URLs whose percent-encoding is not UTF-8: refused by every operation and page, never read as "not given". */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { pageNames } from "../../../src/web/routes.ts";
import type { OpenapiDocument } from "../../support/http/openapi-answers.ts";
import { type Library, openLibrary } from "../../support/library.ts";

/** A byte that begins no character, an overlong form, a lone surrogate, and a character cut short. */
const undecodable = ["%ff", "%c0%ae", "%ed%a0%80", "a%e2%82"];
const placeholder = /[{:]\w+\}?/g;

interface Parameter {
  name: string;
  in: string;
}

let app: Library;
let token: string;
beforeAll(async () => {
  app = await openLibrary("sqlite", "disk", { SVC_SMTP_URL: "smtp://127.0.0.1:1" });
  token = await app.mint(allScopes);
});
afterAll(() => app.close());

/** The path with the text in place of one parameter, once for each of them. */
const pathsWith = (path: string, text: string): string[] =>
  [...path.matchAll(placeholder)].map(({ index }) =>
    path.replace(placeholder, (_name, at: number) => (at === index ? text : "atlas")),
  );

async function refusalOf(method: string, path: string): Promise<{ status: number; problem: boolean }> {
  const body = ["POST", "PUT"].includes(method) && { json: {} };
  const { status, headers } = await app.ask(path, { token, method, ...body });
  return { status, problem: headers.get("content-type") === "application/problem+json" };
}

test("every operation refuses a path and a query that are not UTF-8", async () => {
  const document = (await (await app.ask("/openapi.json")).json()) as OpenapiDocument;
  for (const [route, { servers = document.servers, ...operations }] of Object.entries(document.paths)) {
    const path = new URL(servers[0]?.url ?? "").pathname.replace(/\/$/, "") + route;
    if (!path.startsWith("/api/v1/")) continue;
    for (const [method, operation] of Object.entries(operations))
      for (const text of undecodable) {
        const { parameters } = operation as unknown as { parameters: Parameter[] };
        const queries = parameters.filter((one) => one.in === "query");
        const urls = [
          ...pathsWith(path, text),
          ...queries.map(({ name }) => `${path.replace(placeholder, "atlas")}?${name}=${text}`),
        ];
        for (const url of urls) {
          const { status, problem } = await refusalOf(method.toUpperCase(), url);
          expect([url, status === 400 || status === 404, problem]).toEqual([url, true, true]);
        }
      }
  }
  expect(app.logged).toEqual([]);
});

test("a query can contain the replacement character itself", async () => {
  expect((await app.ask("/api/v1/feed?run_id=%EF%BF%BD", { token })).status).toBe(200);
});

test("every page with a parameter answers 404 to a path that is not UTF-8", async () => {
  for (const route of Object.keys(pageNames))
    for (const path of undecodable.flatMap((text) => pathsWith(route, text)))
      expect([path, (await app.ask(path, { token })).status]).toEqual([path, 404]);
  expect(app.logged).toEqual([]);
});
