/** Requests to /mcp that are refused, and those of both protocols that are not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toolOperations } from "../../../src/api/operations/index.ts";
import { envelope, eras, mcpRequest, message } from "../../support/agents/mcp-clients.ts";
import { openApp, type TestApp } from "../../support/harness.ts";

const toolNames = toolOperations.map(({ tool }) => tool.name);

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
      ["tools/list", { ttlMs: 300_000, cacheScope: "private" }],
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
      "of an unknown revision",
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
      "to be told of changes without saying of which",
      mcpRequest("modern", "subscriptions/listen"),
      200,
      -32602,
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
    ...eras.flatMap((era): typeof refusals =>
      [
        ["tools/list", { cursor: 5 }],
        ["resources/read", {}],
        ["resources/templates/list", { cursor: [] }],
        ["prompts/get", { name: "svc_task", arguments: { project: 5 } }],
        ["completion/complete", { ref: 5 }],
      ].map(([method, params]) => [
        `of the ${era} protocol for ${method} whose params do not fit`,
        mcpRequest(era, method as string, params as Record<string, unknown>),
        200,
        -32602,
      ]),
    ),
  ];
  test.each(refusals)("%s is refused", async (_, request, status, code) => {
    const response = await app.ask("/mcp", request);
    const answer = (await response.json()) as RpcError;
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
      status,
      "application/json",
    ]);
    expect([answer.jsonrpc, answer.error.code, typeof answer.error.message]).toEqual(["2.0", code, "string"]);
  });
});
