/** The caller of /mcp: its token, projects, scopes and rate limit. */
import { describe, expect, test } from "bun:test";
import { toolOperations } from "../../../src/api/operations/index.ts";
import {
  connectHttp,
  eras,
  generations,
  mcpRequest,
  type ToolAnswer,
  textOf,
  toolCall,
} from "../../support/agents/mcp-clients.ts";
import { openApp } from "../../support/harness.ts";

const toolNames = toolOperations.map(({ tool }) => tool.name);

describe("the caller", () => {
  test("with an unknown or revoked token gets a 401 whose challenge names the scopes and the metadata of /mcp", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const revoked = await app.mint(["feed:read"], { name: "gone" });
    for (const path of ["/mcp", "/mcp/"])
      expect((await app.ask(path, { ...toolCall("modern", "svc_get_feed"), token: revoked })).status).toBe(
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
        message: "Rate limit exceeded: 3 requests in 60 seconds. Try again in 60 seconds.",
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
