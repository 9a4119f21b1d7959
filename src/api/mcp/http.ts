/**
 * MCP over HTTP: stateless, one message per request, for old and new protocol revisions. The response is
 * JSON, or a stream for progress and for subscriptions, which only the new revision has without sessions.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../core/auth/caller.ts";
import { allScopes } from "../../core/auth/scopes.ts";
import { paths } from "../../core/info.ts";
import { corkedBody } from "../../core/lib/http/corked-body.ts";
import { bodyBytesMax, parseJson, readBytes, requireJson } from "../../core/lib/http/request-body.ts";
import { Problem } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { toolOperations } from "../operations/index.ts";
import { dropNulls } from "./null-arguments.ts";
import { listen } from "./resources/asset-watch.ts";
import { mcpServers } from "./server.ts";
import { hasProtocolVersion } from "./tools/call-era.ts";
import { wantsProgress } from "./tools/call-tool.ts";
import { clientNameOf, takesStructuredContent } from "./tools/describe-tools.ts";
import { answerDirectly, findDirectCall } from "./tools/direct-calls.ts";

/** `Accept` value that the legacy transport requires. We always send JSON, so clients need not send it. */
const legacyAccept = "application/json, text/event-stream";

/** The handler of `POST /mcp`: stateless Streamable HTTP. */
export function mcpHandler(ctx: Context): (request: Request, caller: Caller) => Promise<Response> {
  const createServerFor = mcpServers(ctx);

  return async (request, caller) => {
    if (request.method !== "POST")
      throw new Problem(405, `${request.method} is not allowed here; allowed: POST.`, { allow: "POST" });
    if (caller.isInvalid) throw invalidToken(ctx);
    requireJson(request);
    const body = parseMessage(await readBytes(request, bodyBytesMax, anonymousAddress(caller)));
    const response = body instanceof Response ? body : await answer(request, body, caller);
    response.headers.set("cache-control", "no-store");
    return response;
  };

  async function answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
    if (isOfSession(body)) ctx.audit.recordAgent(caller.hash);
    const isStructured = takesStructuredContent(clientNameOf(body) ?? request.headers.get("user-agent"));
    const call = findDirectCall(ctx, body, request.headers);
    if (call)
      return new Response(corkedBody(await answerDirectly(ctx, call, () => caller, isStructured)), {
        headers: { "content-type": "application/json" },
      });
    // The library's handler calls `isLegacyRequest` anyway.
    const isLegacy = !hasProtocolVersion(body) && (await isLegacyRequest(request, body));
    const options = {
      connection: request.signal,
      takesSubscriptions: !isLegacy,
      isStructured: () => isStructured,
    };
    const createServer = () => createServerFor(() => caller, options);
    const { method } = (body ?? {}) as { method?: unknown };
    if (method === "subscriptions/listen" && !isLegacy)
      return listen(ctx, request, body, { caller, createServer });
    return (isLegacy ? handleLegacy : handleModern)(request, body, createServer);
  }
}

/** Whether a client works with the server: a list of tools alone can be a check. */
function isOfSession(body: unknown): boolean {
  const { method } = (body ?? {}) as { method?: unknown };
  return method === "initialize" || method === "server/discover" || method === "tools/call";
}

/** IP address of a caller without a token, else null. */
const anonymousAddress = ({ name, source }: Caller): string | null =>
  name === null ? (source?.address ?? "unknown") : null;

/** The server factory of each request: the library's handler passes us only the request. */
const serverFactories = new WeakMap<Request, () => Server>();
const handler = createMcpHandler(
  ({ requestInfo }) => (serverFactories.get(requestInfo as Request) as () => Server)(),
  { legacy: "reject" },
);

/** Serves revision 2026-07-28. */
function handleModern(request: Request, parsedBody: unknown, createServer: () => Server): Promise<Response> {
  serverFactories.set(request, createServer);
  return handler.fetch(request, { parsedBody });
}

/** Serves revisions up to 2025-11-25. */
async function handleLegacy(
  request: Request,
  parsedBody: unknown,
  createServer: () => Server,
): Promise<Response> {
  const enableJsonResponse = !wantsProgress(request.headers.get("accept"), parsedBody);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
  await createServer().connect(transport);
  return transport.handleRequest(withAcceptHeader(request), { parsedBody });
}

/** Parses the JSON-RPC message of a body; returns an error response if it is not a single message. */
function parseMessage(bytes: Uint8Array): unknown {
  let body: unknown;
  try {
    body = parseJson(bytes);
  } catch (error) {
    if (!(error instanceof Problem && error.status === 400)) throw error;
    return badRpcRequest(ProtocolErrorCode.ParseError, error.detail);
  }
  if (Array.isArray(body))
    return badRpcRequest(
      ProtocolErrorCode.InvalidRequest,
      "JSON-RPC batches are not supported. Send each message in its own request.",
    );
  dropNulls(body);
  return body;
}

const badRpcRequest = (code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status: 400 });

function withAcceptHeader(request: Request): Request {
  const { method, url } = request;
  const headers = new Headers(request.headers);
  headers.set("accept", legacyAccept);
  return new Request(url, { method, headers });
}

/** The body has not been read yet, so the challenge names every scope that a tool can require. */
function invalidToken({ config }: Context): Problem {
  const needed = allScopes.filter((scope) => toolOperations.some((op) => op.scope === scope)).join(" ");
  const metadata = config.siteUrl + paths.protectedResourceMcp;
  return new Problem(
    401,
    "This token is not valid. It may have been revoked or have expired. Configure a valid token for " +
      "this MCP server; an admin can create one.",
    {
      "www-authenticate":
        `Bearer realm="svc", error="invalid_token", error_description="Unknown ` +
        `token", scope="${needed}", resource_metadata="${metadata}"`,
    },
  );
}
