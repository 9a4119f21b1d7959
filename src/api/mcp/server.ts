/** Creates the MCP servers that the transports connect to, one per caller, for all protocol revisions. */
import {
  type CallToolRequest,
  type CallToolResult,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../core/auth/caller.ts";
import { deprecationEdition } from "../../core/deprecation.ts";
import { boundedByCount, Cache } from "../../core/lib/cache.ts";
import type { Context } from "../context.ts";
import { complete } from "./completion.ts";
import { getPrompt, prompts } from "./prompts.ts";
import { listResources, readResource, resourceTemplates } from "./resources/resources.ts";
import { skillEntries, skillEntry } from "./resources/skills.ts";
import { acknowledge, becomesTask, readTask, startTask } from "./review-tasks.ts";
import { capabilitiesWith, instructions, protocolVersions, serverInfo } from "./server-info.ts";
import { callTool, requestControl } from "./tools/call-tool.ts";
import { describeTools } from "./tools/describe-tools.ts";
import { toProtocolError } from "./tools/tool-errors.ts";
import type { ResolveCaller } from "./tools/tools.ts";

/** Cache hints for lists that depend neither on the caller nor on stored data; that of tools on the client. */
const publicCacheHint = { ttlMs: 300_000, cacheScope: "public" } as const;
const clientCacheHint = { ...publicCacheHint, cacheScope: "private" } as const;

interface ServerOptions {
  /** Aborted when the client disconnects. */
  connection?: AbortSignal;
  /** The transport can send notifications of changed resources. */
  takesSubscriptions?: boolean;
  /** Whether the client takes structured content, asked for each request. */
  isStructured?: () => boolean;
}

/**
 * Returns a factory of MCP servers.
 * @param opening the context, which may still be loading: the handshake does not need it and is not delayed
 */
export function mcpServers(
  opening: Context | Promise<Context>,
): (resolveCaller: ResolveCaller, options?: ServerOptions) => Server {
  const cache = new Cache<string, ReturnType<typeof describeTools>>({ max: 2, bytesOf: boundedByCount });
  /** Described again when a tool reaches its sunset. */
  const tools = (ctx: Context, isStructured: boolean) =>
    cache.getOrMake(`${deprecationEdition(ctx)} ${isStructured}`, () => describeTools(ctx, isStructured));
  return (resolveCaller, { connection, takesSubscriptions = false, isStructured = () => true } = {}) => {
    const server = new CheckedServer(serverInfo, {
      capabilities: capabilitiesWith(takesSubscriptions),
      instructions,
      cacheHints: {
        "server/discover": publicCacheHint,
        "tools/list": clientCacheHint,
        "prompts/list": publicCacheHint,
        "resources/templates/list": publicCacheHint,
      },
    });
    server.setRequestHandler("tools/list", async () => ({ tools: tools(await opening, isStructured()) }));
    server.setRequestHandler("tools/call", async ({ params }, request) => {
      const ctx = await opening;
      if (becomesTask(params, request))
        // The library passes results of other types on, and has no type for a task.
        return (await startTask(ctx, params, callStructured(ctx, request))) as CallToolResult;
      const control = requestControl(request, connection);
      const result = await callTool(ctx, resolveCaller, params, control, isStructured());
      return JSON.parse(result) as CallToolResult;
    });
    const callStructured =
      (ctx: Context, request: ServerContext) => async (params: CallToolRequest["params"]) =>
        JSON.parse(
          await callTool(ctx, resolveCaller, params, requestControl(request, connection), true),
        ) as CallToolResult;
    server.setRequestHandler("tasks/get", { params: textParams("taskId") }, async ({ taskId }, request) => {
      const ctx = await opening;
      return readTask(ctx, taskId, request, callStructured(ctx, request));
    });
    for (const method of ["tasks/cancel", "tasks/update"])
      server.setRequestHandler(method, { params: textParams("taskId") }, async ({ taskId }, request) =>
        acknowledge(await opening, taskId, request),
      );
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
    server.setRequestHandler("prompts/list", () => ({ prompts }));
    server.setRequestHandler("resources/list", ({ method, params }) =>
      runAsCaller(method, resolveCaller, (ctx, caller) => listResources(ctx, caller, params?.cursor)),
    );
    server.setRequestHandler("resources/read", ({ method, params }) =>
      runAsCaller(method, resolveCaller, (ctx, caller) => readResource(ctx, caller, params.uri)),
    );
    server.setRequestHandler("prompts/get", ({ method, params }) =>
      runAsCaller(method, resolveCaller, (ctx, caller) =>
        getPrompt(ctx, caller, params.name, params.arguments ?? {}),
      ),
    );
    // Hints to caches exist from revision 2026-07-28 on.
    const hint = () => (server.getNegotiatedProtocolVersion() === protocolVersions[0] ? publicCacheHint : {});
    server.setRequestHandler("skills/list", { params: textParams() }, async () => ({
      skills: skillEntries((await opening).config),
      ...hint(),
    }));
    server.setRequestHandler("skills/get", { params: textParams("uri") }, async ({ uri }) => ({
      skill: skillEntry((await opening).config, uri),
      ...hint(),
    }));
    server.setRequestHandler("completion/complete", ({ method, params }) =>
      runAsCaller(method, resolveCaller, (ctx, caller) => complete(ctx, caller, params)),
    );
    return server;
  };

  async function runAsCaller<T>(
    method: string,
    resolveCaller: ResolveCaller,
    work: (ctx: Context, caller: Caller) => Promise<T>,
  ): Promise<T> {
    const ctx = await opening;
    let caller: Caller | null = null;
    try {
      caller = await resolveCaller();
      return await work(ctx, caller);
    } catch (error) {
      throw await toProtocolError(ctx, error, method, caller);
    }
  }
}

/** The server of the MCP library, with the error code of JSON-RPC for params that are not valid. */
type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/**
 * The library answers invalid params with "internal error" (-32603), except for `tools/call`. JSON-RPC 2.0,
 * section 5.1, has -32602 for them. It checks them synchronously, before it calls a handler, and the handlers
 * of svc fail by rejecting.
 */
class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return super._wrapHandler(method, (request, ctx) => {
      try {
        return handler(request, ctx);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const message = `Invalid ${method} request: ${(error as Error).message}`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
    });
  }
}

type Params<F extends string> = Record<F, string>;

/** Params that have these texts, of a method of an extension; others are ignored. */
const textParams = <F extends string>(...fields: F[]): StandardSchemaV1<unknown, Params<F>> => ({
  "~standard": {
    version: 1,
    vendor: "svc",
    validate: (value) => {
      const given = (value ?? {}) as Partial<Params<F>>;
      const wrong = fields.find((field) => typeof given[field] !== "string" || given[field] === "");
      return wrong === undefined
        ? { value: given as Params<F> }
        : { issues: [{ message: `${wrong} must be a text`, path: [wrong] }] };
    },
  },
});
