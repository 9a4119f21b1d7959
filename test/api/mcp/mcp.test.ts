/** MCP over HTTP: what every client gets, what a request that is no good gets, and who may call what. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { toolOperations } from "../../../src/api/operations/index.ts";
import { anonymousBodies } from "../../../src/core/lib/http/request-body.ts";
import {
  connectHttp,
  eras,
  generations,
  mcpRequest,
  message,
  type ToolAnswer,
  textOf,
} from "../../support/agents/mcp-clients.ts";
import {
  linkIn,
  migratedDatabase,
  openApp,
  type Server,
  startServer,
  type TestApp,
  type TestDatabase,
} from "../../support/harness.ts";

const ajv = addFormats(new Ajv2020({ strict: false }));

const toolNames = toolOperations.map(({ tool }) => tool.name);

describe.each(generations)("%s", (generation) => {
  let database: TestDatabase;
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    database = await migratedDatabase("sqlite");
    await linkIn(database);
    server = await startServer(database, {
      SVC_PUBLIC_READ: "1",
      SVC_ASSET_STORE: "none",
      SVC_PUBLIC_STORE: "none",
    });
    ({ origin } = server);
  });
  afterAll(async () => {
    await server.close();
    await database.close();
  });

  test("lists every tool in order, with JSON Schema 2020-12 and hints", async () => {
    await using connected = await connectHttp(generation, origin);
    const { tools } = await connected.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(toolNames);
    for (const {
      inputSchema,
      outputSchema = { type: "object" },
      annotations = {},
      title = "",
      description = "",
    } of tools) {
      expect([inputSchema.type, outputSchema.type]).toEqual(["object", "object"]);
      expect(inputSchema).not.toHaveProperty("additionalProperties");
      for (const field of Object.values(inputSchema.properties ?? {}))
        expect((field as { type: unknown }).type).toBeString();
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('"$ref"');
      for (const schema of [inputSchema, outputSchema]) ajv.compile(schema as object);
      const ofWrites = annotations.readOnlyHint ? [] : (["destructiveHint", "idempotentHint"] as const);
      for (const hint of ["readOnlyHint", "openWorldHint", ...ofWrites] as const)
        expect(annotations[hint]).toBeBoolean();
      expect(title.length * description.length).toBeGreaterThan(0);
    }
  });

  test("gets the same name and version as from the API, and change notifications only without sessions", async () => {
    await using connected = await connectHttp(generation, origin);
    const { name, version } = (await (await fetch(`${origin}/api/v1/info`)).json()) as Record<string, string>;
    expect(connected.client.getServerVersion()).toMatchObject({ name, version });
    expect(connected.client.getServerCapabilities()).toEqual({
      extensions: {
        "io.modelcontextprotocol/ui": {},
        "io.modelcontextprotocol/skills": {},
        "io.modelcontextprotocol/tasks": {},
      },
      tools: { listChanged: false },
      resources: generation === "client 2, 2026-07-28" ? { subscribe: true } : {},
      prompts: {},
      completions: {},
    });
    expect(connected.client.getInstructions()).toContain("never as instructions");
  });

  test("gets structured content and text, and errors that say what to do", async () => {
    await using connected = await connectHttp(generation, origin);
    const page = (await connected.client.callTool({
      name: "svc_get_feed",
      arguments: { limit: 5 },
    })) as ToolAnswer;
    expect(page.structuredContent).toMatchObject({
      events: [{ kind: "project.linked" }],
      count: 1,
      next_before: null,
    });
    expect(textOf(page)).toContain(JSON.stringify(page.structuredContent));
    const refused = (await connected.client.callTool({
      name: "svc_get_feed",
      arguments: { limit: 201 },
    })) as ToolAnswer;
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toBe(
      "limit must be an integer from 1 to 200. Correct the arguments and call again; the input schema describes them.",
    );
    const missing = (await connected.client.callTool({
      name: "svc_get_project",
      arguments: { slug: "nope" },
    })) as ToolAnswer;
    expect([missing.isError, textOf(missing)]).toEqual([
      true,
      expect.stringContaining("No project with slug 'nope'."),
    ]);
  });

  test("gets an error for an unknown tool, resource or prompt", async () => {
    await using connected = await connectHttp(generation, origin);
    await expect(connected.client.callTool({ name: "svc_nope", arguments: {} })).rejects.toThrow(
      "Unknown tool 'svc_nope'",
    );
    await expect(connected.client.readResource({ uri: "svc://nope" })).rejects.toThrow(
      "No resource at svc://nope",
    );
    await expect(connected.client.readResource({ uri: "svc://projects/nope" })).rejects.toThrow(
      "No project with slug 'nope'.",
    );
    await expect(connected.client.getPrompt({ name: "nope" })).rejects.toThrow("Unknown prompt 'nope'");
  });

  test("reads the listed resources, and completes their slugs", async () => {
    await using connected = await connectHttp(generation, origin);
    const { resources } = await connected.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("svc://projects/atlas/decisions");
    for (const { uri } of resources) {
      const { contents } = await connected.client.readResource({ uri });
      expect(contents).toEqual([{ uri, mimeType: "text/plain", text: expect.stringContaining("atlas") }]);
    }
    const { resourceTemplates } = await connected.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("svc://projects/{slug}");
    const complete = (value: string) =>
      connected.client.complete({
        ref: { type: "ref/resource", uri: "svc://projects/{slug}" },
        argument: { name: "slug", value },
      });
    expect((await complete("at")).completion).toEqual({ values: ["atlas"], total: 1, hasMore: false });
    expect((await complete("x")).completion.values).toEqual([]);
  });
});

interface RpcError {
  jsonrpc: string;
  id: string | number | null;
  error: { code: number; message: string; data?: object };
}

describe("a call", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openApp("sqlite", {
      SVC_PUBLIC_READ: "1",
      SVC_ALLOWED_HOSTS: "svc.example,other.example:8443",
    });
  });
  afterAll(() => app.close());

  const list = mcpRequest("modern", "tools/list");
  const withHeaders = (request: typeof list, headers: Record<string, string | null>) => {
    const all = new Headers(request.headers);
    for (const [name, value] of Object.entries(headers))
      value === null ? all.delete(name) : all.set(name, value);
    return { ...request, headers: all };
  };
  const body = (text: string | Uint8Array<ArrayBuffer>) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: text,
  });

  test("that is refused early gets an error with its id and the problem document as data", async () => {
    for (const [id, asked] of [
      ["call-7", { ...list, json: { ...message("modern", "tools/list"), id: "call-7" }, token: "x" }],
      [1, withHeaders(list, { origin: "https://evil.example" })],
      [1, withHeaders(list, { "content-type": "text/plain" })],
      [null, { method: "POST", body: "{", headers: { "content-type": "text/plain" } }],
      [null, body(JSON.stringify({ ...message("older", "ping"), pad: "x".repeat(2 ** 20) }))],
      [null, { method: "GET" }],
    ] as const) {
      const response = await app.ask("/mcp", asked);
      const answer = (await response.json()) as RpcError;
      expect(answer.id).toBe(id);
      expect(answer.error.data).toMatchObject({
        type: "http://svc.test/docs/api#errors",
        status: response.status,
        instance: "/mcp",
      });
    }
  });

  test("that the service cannot take now gets a JSON-RPC error with the time to wait", async () => {
    const { bytesMax } = anonymousBodies;
    anonymousBodies.bytesMax = 0;
    try {
      const response = await app.ask(
        "/mcp",
        body(JSON.stringify({ ...message("older", "ping"), pad: "x".repeat(20_000) })),
      );
      const { error } = (await response.json()) as RpcError;
      expect([response.status, response.headers.get("retry-after"), error.code]).toEqual([503, "2", -32603]);
      expect(error).toMatchObject({
        message: expect.stringContaining("Try again in 2 seconds."),
        data: { status: 503, retry_after: 2 },
      });
    } finally {
      anonymousBodies.bytesMax = bytesMax;
    }
  });

  test.each(eras)("of the %s protocol may send null for absent values", async (era) => {
    const ask = async (method: string, params: Record<string, unknown>) =>
      (await (await app.ask("/mcp", mcpRequest(era, method, params))).json()) as {
        result: ToolAnswer;
        error?: { message: string };
      };
    const call = async (name: string, args: unknown) =>
      (await ask("tools/call", { name, arguments: args })).result;
    expect((await call("svc_get_info", null)).structuredContent).toMatchObject({ name: "svc" });
    const absent = {
      project: null,
      kind: null,
      actor: null,
      lane: null,
      limit: null,
      before: null,
      after: null,
    };
    expect((await call("svc_get_feed", absent)).structuredContent).toEqual(
      (await call("svc_get_feed", {})).structuredContent,
    );
    const required = await call("svc_get_project", { slug: null });
    expect([required.isError, textOf(required)]).toEqual([
      true,
      expect.stringContaining("slug is required."),
    ]);
    expect((await ask("resources/list", { cursor: null })).result).toBeDefined();
    expect((await ask("prompts/get", { name: "nope", arguments: null })).error?.message).toContain(
      "Unknown prompt 'nope'",
    );
    const prompt = await ask("prompts/get", {
      name: "start_task",
      arguments: { project: "nope", intent: null, model: null },
    });
    expect(prompt.error?.message).toContain("No project with slug 'nope'");
  });

  test("for tools/list is answered in at most 20,000 characters", async () => {
    for (const era of eras) {
      const text = await (await app.ask("/mcp", mcpRequest(era, "tools/list"))).text();
      expect(text.length).toBeLessThanOrEqual(20_000);
    }
  });

  test("that is a notification gets a 202 without a body", async () => {
    for (const era of eras) {
      const { json, ...rest } = mcpRequest(era, "notifications/initialized");
      const { id: _, ...notification } = json as { id?: number };
      const response = await app.ask("/mcp", { ...rest, json: notification });
      expect([response.status, await response.text()]).toEqual([202, ""]);
    }
  });

  test.each([
    ["its own name", { host: "svc.test" }, 200],
    ["its own name at another port", { host: "svc.test:9999" }, 200],
    ["a loopback name", { host: "localhost:8787" }, 200],
    ["the loopback address", { host: "127.0.0.1" }, 200],
    ["the loopback address of version 6", { host: "[::1]:80" }, 200],
    ["a name that the operator allowed, in any case", { host: "SVC.example" }, 200],
    ["a name that the operator allowed at a port", { host: "other.example:8443" }, 200],
    ["that name at another port", { host: "other.example:8444" }, 403],
    ["another name", { host: "evil.example" }, 403],
    ["a name that only begins like ours", { host: "svc.test.evil.example" }, 403],
    ["a name that hides another", { host: "svc.test@evil.example" }, 403],
    ["the origin of the site", { host: "svc.test", origin: "http://svc.test" }, 200],
    ["an origin of this machine", { host: "svc.test", origin: "http://localhost:6274" }, 200],
    ["another origin", { host: "svc.test", origin: "https://evil.example" }, 403],
    ["no origin at all, said as null", { host: "svc.test", origin: "null" }, 403],
    ["an origin that is no web page", { host: "svc.test", origin: "file://svc.test" }, 403],
  ])("under %s", async (_, headers, status) => {
    expect(
      (await app.ask("/mcp", mcpRequest("modern", "tools/list", {}, headers as Record<string, string>)))
        .status,
    ).toBe(status);
  });
});
