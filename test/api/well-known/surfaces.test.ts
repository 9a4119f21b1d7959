/**
 * The machine-readable surfaces: each in its form, found from /info, agreeing with the others, on the
 * configured site alone.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { httpOperations, toolOperations } from "../../../src/api/operations/index.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { paths } from "../../../src/core/info.ts";
import { checker } from "../../../src/core/lib/validate.ts";
import { version } from "../../../src/core/version.ts";
import { UploadRequest } from "../../../src/library/assets/requests.ts";
import { mcpRequest, toolCall } from "../../support/agents/mcp-clients.ts";
import { must, openApp, type TestApp } from "../../support/harness.ts";
import { documents, wrongBy } from "../../support/http/public-documents.ts";
import * as forms from "../../support/http/public-schemas.ts";

const site = "http://svc.test";
let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
});
afterAll(() => app.close());

const get = (path: string, init: RequestInit = {}) => app.ask(path, init);
// biome-ignore lint/suspicious/noExplicitAny: documents of others' shapes
const json = async (path: string): Promise<any> => (await get(path)).json();

// biome-ignore lint/suspicious/noExplicitAny: results of others' shapes
const mcp = async (method: string, params: Record<string, unknown>, revision = "2025-11-25"): Promise<any> =>
  (await (await get(paths.mcp, mcpRequest(revision < "2026" ? "older" : "modern", method, params))).json())
    .result;

describe.each(documents)("%s", (path, type) => {
  test("is served to everyone with its media type, the same headers for HEAD, and an ETag", async () => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(type);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("set-cookie")).toBeNull();
    const head = await get(path, { method: "HEAD" });
    const same = ["content-type", "etag", "link", "cache-control"];
    expect(same.map((name) => head.headers.get(name))).toEqual(same.map((name) => answer.headers.get(name)));
    expect(await head.text()).toBe("");
    const again = await get(path, { headers: { "if-none-match": answer.headers.get("etag") as string } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await get(path, { method: "POST" })).status).toBe(405);
    const response = await get(path, {
      method: "OPTIONS",
      headers: { origin: "https://elsewhere.test", "access-control-request-method": "GET" },
    });
    const allowed = ["origin", "methods", "headers"].map((name) =>
      response.headers.get(`access-control-allow-${name}`),
    );
    expect([response.status, ...allowed]).toEqual([204, "*", "GET, HEAD", "Content-Type, If-None-Match"]);
  });

  test("contains only URLs of the configured site, apart from identifiers", async () => {
    // What stands in code is no link: a default, a command, an example of an address.
    const text = (await (await get(path)).text()).replace(
      path === paths.llmsFull ? /```[\s\S]*?```|`[^`\n]+`/g : "",
      "",
    );
    const elsewhere = [...text.matchAll(/https?:\/\/[^\s"'<>)`\\…]+/g)]
      .map(([url]) => url)
      .filter((url) => !url.startsWith(site))
      .filter(
        (url) =>
          !/^https?:\/\/(static\.modelcontextprotocol\.io\/schemas|schemas\.agentskills\.io|www\.sitemaps\.org\/schemas|www\.rfc-editor\.org\/info|example\.com\/)/.test(
            url,
          ),
      );
    expect(elsewhere).toEqual([]);
  });
});

test("name, version and description are the same in every document and in the MCP handshake", async () => {
  const [info, server, card, bare, openapi] = await Promise.all(
    ["/api/v1/info", paths.serverJson, paths.serverCard, paths.mcpCard, paths.openapi].map(json),
  );
  const { serverInfo, capabilities } = await mcp("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  });
  const versions = [info, server, card, bare, openapi.info, card.serverInfo, serverInfo].map(
    (one) => one.version,
  );
  expect(new Set(versions)).toEqual(new Set([version]));
  expect(new Set([server, card, bare].map((one) => one.name))).toEqual(new Set(["test.svc/svc"]));
  expect(new Set([info.name, server.title, card.title, card.serverInfo.name, serverInfo.name])).toEqual(
    new Set(["svc"]),
  );
  expect(new Set([info, server, card, bare].map((one) => one.description))).toEqual(
    new Set([openapi.info.summary]),
  );
  expect(card.capabilities).toEqual(capabilities);
});

test("the server card lists the supported MCP revisions and the endpoint", async () => {
  const { remotes, transport } = await json(paths.serverCard);
  expect([remotes[0].url, transport.endpoint]).toEqual(Array(2).fill(site + paths.mcp));
  const spoken = [];
  for (const revision of remotes[0].supportedProtocolVersions) {
    const discovered = (await mcp("server/discover", {}, revision))?.supportedVersions?.includes(revision);
    const agreed = (
      await mcp("initialize", {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      })
    )?.protocolVersion;
    if (discovered || agreed === revision) spoken.push(revision);
  }
  expect(remotes[0].supportedProtocolVersions).toEqual(spoken);
  expect(spoken.length).toBeGreaterThan(2);
});

test("scopes are the same in metadata, in OpenAPI and in errors for a missing scope", async () => {
  const [root, mcpResource, openapi] = await Promise.all(
    [paths.protectedResource, paths.protectedResourceMcp, paths.openapi].map(json),
  );
  for (const one of [root, mcpResource]) expect(one.scopes_supported).toEqual(allScopes);
  expect([root.resource, mcpResource.resource]).toEqual([site, site + paths.mcp]);
  expect(root.authorization_servers).toBeUndefined();
  await using closed = await openApp("sqlite");
  for (const op of httpOperations.filter(({ scope }) => scope !== "public")) {
    const described = openapi.paths[op.http.path][op.http.method.toLowerCase()];
    expect(described["x-required-scopes"]).toEqual([op.scope]);
    expect(described.description).toContain(`\`${op.scope}\``);
    const refused = await closed.ask(`/api/v1${op.http.path.replace(/\{\w+\}/g, "x")}`, {
      method: op.http.method,
    });
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer realm="svc", scope="${op.scope}", resource_metadata="${site}${paths.protectedResource}"`,
    );
  }
  for (const { tool, scope } of toolOperations.filter((op) => op.scope !== "public")) {
    const answer = await (await closed.ask(paths.mcp, toolCall("older", tool.name))).json();
    expect(answer.result.content[0].text).toContain(scope);
  }
  const authText = await (await get(paths.auth)).text();
  for (const scope of allScopes) expect(authText).toContain(`\`${scope}\``);
});

const schemas: [path: string, schema: object][] = [
  [paths.apiCatalog, forms.linkset],
  [paths.protectedResource, forms.protectedResource],
  [paths.protectedResourceMcp, forms.protectedResource],
  [paths.serverJson, forms.serverJson],
  [paths.serverCard, forms.hybridCard],
  [paths.mcpCard, forms.serverCard],
  [paths.aiCatalog, forms.aiCatalog],
  [paths.ardCatalog, forms.aiCatalog],
  [paths.skills, forms.skillsIndex],
];
test.each(schemas)("%s matches the schema of its specification", async (path, schema) => {
  expect(wrongBy(schema, await json(path))).toEqual([]);
});

test("every example in the OpenAPI document matches its schema", async () => {
  const document = await json(paths.openapi);
  const reader = addFormats(new Ajv2020({ strict: false })).addSchema(document, "openapi");
  const wrong: string[] = [];
  let examples = 0;
  const look = (value: unknown, pointer: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { schema, example } = value as { schema?: object; example?: unknown };
    if (schema && example !== undefined) {
      examples++;
      if (!reader.validate({ $ref: `openapi#${pointer}/schema` }, example))
        wrong.push(`${pointer}: ${reader.errorsText()}`);
    }
    for (const [name, one] of Object.entries(value))
      look(one, `${pointer}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
  };
  look(document, "");
  expect(wrong).toEqual([]);
  expect(examples).toBeGreaterThan(40);
});

test("request bodies in skills are valid", async () => {
  const { skills } = await json(paths.skills);
  const bodies = new Map<string, TSchema>([["filename", UploadRequest]]);
  const messages: string[] = [];
  for (const { url } of skills) {
    const text = await (await get(url)).text();
    for (const [sample] of text.matchAll(/\{"[^`]*\}/g)) {
      const body = JSON.parse(sample.replaceAll("SLUG", "atlas"));
      const [name, schema] = must([...bodies].find(([member]) => member in body));
      expect([sample, checker(schema).Errors(body).First()]).toEqual([sample, undefined]);
      messages.push(name);
    }
  }
  expect(messages.toSorted()).toEqual(["filename"]);
});
