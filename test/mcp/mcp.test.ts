/** MCP over HTTP: what every client gets, what a request that is no good gets, and who may call what. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { anonymousBodies } from "../../src/lib/request-body.ts";
import { toolOperations } from "../../src/operations/index.ts";
import {
  freshDatabase,
  openApp,
  program,
  type Server,
  startServer,
  type TestApp,
  type TestDatabase,
} from "../support/harness.ts";
import {
  connectHttp,
  envelope,
  eras,
  generations,
  mcpRequest,
  message,
  type ToolAnswer,
  textOf,
  toolCall,
} from "../support/mcp-clients.ts";

const ajv = addFormats(new Ajv2020({ strict: false }));

const toolNames = toolOperations.map(({ tool }) => tool.name);

describe.each(generations)("%s", (generation) => {
  let database: TestDatabase;
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    database = await freshDatabase("sqlite");
    await program(["project", "link", "atlas", "--repo", "acme/atlas"], { SVC_DATABASE_URL: database.url });
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

  test("lists every tool in order, with JSON Schema 2020-12 and all four hints", async () => {
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
      for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const)
        expect(annotations[hint]).toBeBoolean();
      expect(title.length * description.length).toBeGreaterThan(0);
    }
  });

  test("gets the same name and version as from the API, and no change notifications", async () => {
    await using connected = await connectHttp(generation, origin);
    const { name, version } = (await (await fetch(`${origin}/api/v1/info`)).json()) as Record<string, string>;
    expect(connected.client.getServerVersion()).toMatchObject({ name, version });
    expect(connected.client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: {},
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

describe("a request", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openApp("sqlite", {
      SVC_PUBLIC_READ: "1",
      SVC_ALLOWED_HOSTS: "svc.example,other.example:8443",
    });
  });
  afterAll(() => app.close());

  test.each(eras)("of the %s protocol gets one JSON response, whatever it accepts", async (era) => {
    for (const accept of ["application/json, text/event-stream", "application/json", "*/*"]) {
      const response = await app.ask("/mcp", mcpRequest(era, "tools/list", {}, { accept }));
      expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
        200,
        "application/json",
      ]);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("mcp-session-id")).toBeNull();
      const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
      expect(result.tools.map((tool) => tool.name)).toEqual(toolNames);
    }
  });

  test("of the modern protocol gets cache hints for public lists", async () => {
    for (const [method, hint] of [
      ["server/discover", { ttlMs: 300_000, cacheScope: "public" }],
      ["tools/list", { ttlMs: 300_000, cacheScope: "public" }],
      ["resources/list", { ttlMs: 0, cacheScope: "private" }],
    ] as const) {
      const { result } = (await (await app.ask("/mcp", mcpRequest("modern", method))).json()) as {
        result: object;
      };
      expect(result).toMatchObject({ resultType: "complete", ...hint });
    }
  });

  test.each(["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])("by %s is not allowed", async (method) => {
    const response = await app.ask("/mcp", { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  const list = mcpRequest("modern", "tools/list");
  const call = mcpRequest("modern", "tools/call", { name: "svc_get_info", arguments: {} });
  const withHeaders = (asked: typeof list, headers: Record<string, string | null>) => {
    const all = new Headers(asked.headers);
    for (const [name, value] of Object.entries(headers))
      value === null ? all.delete(name) : all.set(name, value);
    return { ...asked, headers: all };
  };
  const body = (text: string | Uint8Array<ArrayBuffer>) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: text,
  });
  const refusals: [title: string, asked: Parameters<TestApp["ask"]>[1], status: number, code: number][] = [
    ["as plain text", withHeaders(list, { "content-type": "text/plain" }), 415, -32600],
    ["as a form", withHeaders(list, { "content-type": "application/x-www-form-urlencoded" }), 415, -32600],
    ["under another host", withHeaders(list, { host: "evil.example" }), 403, -32600],
    ["of a page elsewhere", withHeaders(list, { origin: "https://evil.example" }), 403, -32600],
    ["by another method", { method: "GET" }, 405, -32600],
    [
      "with an unknown token",
      { ...list, token: "svc_0000000000000000000000000000000000000000" },
      401,
      -32600,
    ],
    ["that is no JSON", body("{"), 400, -32700],
    ["that is empty", body(""), 400, -32700],
    ["that is not UTF-8", body(new Uint8Array([0x22, 0xff, 0x22])), 400, -32700],
    ["that is nested too deep", body(`${"[".repeat(40)}${"]".repeat(40)}`), 400, -32700],
    ["that is no message", body("5"), 400, -32600],
    ["that is null", body("null"), 400, -32600],
    ["that is no JSON-RPC", body('{"hello":1}'), 400, -32600],
    ["that is a batch", body(JSON.stringify([message("older", "tools/list")])), 400, -32600],
    [
      "that is a batch of ten thousand",
      body(JSON.stringify(Array(10_000).fill({ jsonrpc: "2.0", method: "x" }))),
      400,
      -32600,
    ],
    ["that is an empty batch", body("[]"), 400, -32600],
    [
      "of more than a mebibyte",
      body(JSON.stringify({ ...message("older", "ping"), pad: "x".repeat(2 ** 20) })),
      413,
      -32600,
    ],
    [
      "of a revision nobody knows",
      withHeaders(mcpRequest("older", "tools/list"), { "mcp-protocol-version": "1999-01-01" }),
      400,
      -32000,
    ],
    ["whose header names another method", withHeaders(list, { "mcp-method": "prompts/list" }), 400, -32020],
    ["whose header names another tool", withHeaders(call, { "mcp-name": "svc_get_feed" }), 400, -32020],
    ["without the header of its method", withHeaders(list, { "mcp-method": null }), 400, -32020],
    [
      "of a modern revision that is not served",
      {
        ...withHeaders(list, { "mcp-protocol-version": "2027-01-01" }),
        json: {
          ...message("modern", "tools/list"),
          params: { _meta: { ...envelope, "io.modelcontextprotocol/protocolVersion": "2027-01-01" } },
        },
      },
      400,
      -32022,
    ],
    ["for a method that is not there", mcpRequest("modern", "tools/nope"), 404, -32601],
    ["for a method that is not there, of the older era", mcpRequest("older", "tools/nope"), 200, -32601],
    [
      "to be told of changes",
      mcpRequest("modern", "subscriptions/listen", { notifications: {} }),
      404,
      -32601,
    ],
    [
      "for a tool that is not there",
      mcpRequest("modern", "tools/call", { name: "svc_nope", arguments: {} }),
      200,
      -32602,
    ],
    [
      "whose arguments are no object",
      mcpRequest("modern", "tools/call", { name: "svc_get_feed", arguments: "x" }),
      200,
      -32602,
    ],
  ];
  test.each(refusals)("%s is refused", async (_, asked, status, code) => {
    const response = await app.ask("/mcp", asked);
    const answer = (await response.json()) as RpcError;
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
      status,
      "application/json",
    ]);
    expect([answer.jsonrpc, answer.error.code, typeof answer.error.message]).toEqual(["2.0", code, "string"]);
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

  test("for tools/list is answered in at most 29,040 characters", async () => {
    for (const era of eras) {
      const text = await (await app.ask("/mcp", mcpRequest(era, "tools/list"))).text();
      expect(text.length).toBeLessThanOrEqual(29_040);
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

describe("the caller", () => {
  test("with an unknown or revoked token gets a 401 whose challenge names the scopes and the metadata of /mcp", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const revoked = await app.mint(["feed:read"], { name: "gone" });
    expect((await app.ask("/mcp", { ...toolCall("modern", "svc_get_feed"), token: revoked })).status).toBe(
      200,
    );
    await app.ctx.data.atomically((writes) => writes.revokeToken("gone", app.clock.now()));
    for (const token of [revoked, "svc_0000000000000000000000000000000000000000", "x"]) {
      const response = await app.ask("/mcp", { ...mcpRequest("older", "tools/list"), token });
      expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json"]);
      const challenge = response.headers.get("www-authenticate") ?? "";
      expect(challenge).toStartWith('Bearer realm="svc", error="invalid_token"');
      expect(challenge).toContain(
        'resource_metadata="http://svc.test/.well-known/oauth-protected-resource/mcp"',
      );
      expect(challenge).toMatch(/scope="[^"]*assets:read[^"]*"/);
    }
    const metadata = (await (await app.ask("/.well-known/oauth-protected-resource/mcp")).json()) as Record<
      string,
      string
    >;
    expect(metadata.resource).toBe("http://svc.test/mcp");
  });

  test("without a token can list the tools and read what is public", async () => {
    await using app = await openApp("sqlite");
    for (const era of eras) {
      const listed = (await (await app.ask("/mcp", mcpRequest(era, "tools/list"))).json()) as {
        result: { tools: unknown[] };
      };
      expect(listed.result.tools).toHaveLength(toolNames.length);
      for (const name of ["svc_get_info", "svc_get_methodology"]) {
        const { result } = (await (await app.ask("/mcp", toolCall(era, name))).json()) as {
          result: ToolAnswer;
        };
        expect([name, result.isError ?? false]).toEqual([name, false]);
      }
      const { result } = (await (await app.ask("/mcp", toolCall(era, "svc_get_feed"))).json()) as {
        result: ToolAnswer;
      };
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("feed:read")]);
    }
  });

  test("with a token limited to projects lists, reads and completes only those", async () => {
    await using app = await openApp("sqlite");
    await app.ctx.data.atomically(async (writes) => {
      for (const slug of ["atlas", "borealis"]) await writes.linkProject({ slug, repo: `acme/${slug}` }, 1);
    });
    const token = await app.mint(["feed:read"], { projects: ["atlas"] });
    const ask = async (method: string, params: Record<string, unknown>) =>
      (await (await app.ask("/mcp", { ...mcpRequest("modern", method, params), token })).json()) as Record<
        string,
        Record<string, unknown>
      >;
    const listed = JSON.stringify(await ask("resources/list", {}));
    expect([listed.includes("atlas"), listed.includes("borealis")]).toEqual([true, false]);
    expect((await ask("resources/read", { uri: "svc://projects/atlas" })).result).toBeDefined();
    expect((await ask("resources/read", { uri: "svc://projects/borealis" })).error?.message).toContain(
      "No project with slug 'borealis'",
    );
    const ref = { type: "ref/resource", uri: "svc://projects/{slug}" };
    const { result } = await ask("completion/complete", { ref, argument: { name: "slug", value: "" } });
    expect(result?.completion).toMatchObject({ values: ["atlas"] });
  });

  test("without the scope lists nothing, and reading names the missing scope", async () => {
    await using app = await openApp("sqlite");
    await app.ctx.data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
    const ask = async (method: string, params: Record<string, unknown>) =>
      (await (await app.ask("/mcp", mcpRequest("older", method, params))).json()) as Record<
        string,
        Record<string, unknown>
      >;
    expect((await ask("resources/list", {})).result).toEqual({ resources: [] });
    expect((await ask("resources/read", { uri: "svc://projects/atlas" })).error?.message).toContain(
      "feed:read",
    );
    const ref = { type: "ref/resource", uri: "svc://projects/{slug}" };
    expect(
      (await ask("completion/complete", { ref, argument: { name: "slug", value: "" } })).result,
    ).toMatchObject({
      completion: { values: [] },
    });
  });

  test("shares its rate limit with the API: over it, 429 with Retry-After and a JSON-RPC error with the time to wait", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "3/60" });
    expect((await app.ask("/api/v1/info")).status).toBe(200);
    const second = await app.ask("/mcp", mcpRequest("modern", "tools/list"));
    expect([second.headers.get("ratelimit-policy"), second.headers.get("ratelimit")]).toEqual([
      '"default";q=3;w=60',
      '"default";r=1;t=60',
    ]);
    expect((await app.ask("/mcp", { method: "GET" })).status).toBe(405);
    const over = await app.ask("/mcp", mcpRequest("older", "tools/list"));
    expect([over.status, over.headers.get("retry-after"), over.headers.get("content-type")]).toEqual([
      429,
      "60",
      "application/json",
    ]);
    expect(await over.json()).toMatchObject({
      ...{ jsonrpc: "2.0", id: 1 },
      error: {
        code: -32600,
        message: expect.stringContaining("Try again in 60 seconds."),
        data: { status: 429, retry_after: 60 },
      },
    });
  });

  test.each(generations)("over the limit, with %s, is told how long to wait", async (generation) => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "8/60" });
    await using connected = await connectHttp(generation, app.listen());
    const callAll = async () => {
      for (let count = 0; count < 8; count++)
        await connected.client.callTool({ name: "svc_get_info", arguments: {} });
    };
    await expect(callAll()).rejects.toThrow("Try again in 60 seconds.");
  });

  test("does not see the cause of an internal error, which is only logged", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const { data } = app.ctx;
    const broken = () => Promise.reject(new Error("secret detail of /a/path"));
    Object.assign(data, { feed: broken, project: broken, projects: broken });
    for (const [method, params] of [
      ["tools/call", { name: "svc_get_feed", arguments: {} }],
      ["resources/read", { uri: "svc://projects/atlas" }],
      ["resources/list", {}],
    ] as const) {
      const text = await (await app.ask("/mcp", mcpRequest("modern", method, params))).text();
      expect(text).toContain("Internal error");
      expect(text).not.toContain("secret detail");
    }
    expect(
      app.logged.filter(({ level, message }) => level === "error" && message === "unexpected error"),
    ).toHaveLength(3);
  });
});
