/** MCP over HTTP: stateless, one message a request, one JSON answer, in both eras of the protocol. */
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Caller } from "../auth/caller.ts";
import { allScopes } from "../auth/scopes.ts";
import type { Context } from "../context.ts";
import { paths } from "../info.ts";
import { bodyBytesMax, parseJson, readBytes, requireJson } from "../lib/request-body.ts";
import { toolOperations } from "../operations/index.ts";
import { Problem } from "../problem.ts";
import { dropNulls } from "./null-arguments.ts";
import { Verbatim } from "./raw-schemas.ts";
import { mcpServers } from "./server.ts";

/** What the older transport wants to be accepted. Ours answers JSON to everybody, so nobody has to say so. */
const accept = "application/json, text/event-stream";

export function mcpHandler(ctx: Context): (request: Request, caller: Caller) => Promise<Response> {
  const serverFor = mcpServers(ctx);

  return async (request, caller) => {
    if (request.method !== "POST")
      throw new Problem(405, `${request.method} is not allowed here; allowed: POST.`, { allow: "POST" });
    if (caller.isInvalid) throw unknownToken(ctx);
    requireJson(request);
    const body = messageOf(await readBytes(request, bodyBytesMax, unknownAddress(caller)));
    const response = body instanceof Response ? body : await answer(request, body, caller);
    response.headers.set("cache-control", "no-store");
    return response;
  };

  async function answer(request: Request, body: unknown, caller: Caller): Promise<Response> {
    const verbatim = new Verbatim();
    const serve = () => serverFor(() => caller, verbatim.standFor);
    const isOlder = !namesRevision(body) && (await isLegacyRequest(request, body));
    return verbatim.fill(await (isOlder ? older : modern)(request, body, serve));
  }
}

/** Where a caller without a token comes from. */
const unknownAddress = ({ name, source }: Caller): string | null =>
  name === null ? (source?.address ?? "unknown") : null;

/**
 * Whoever names its revision in the message is of the newer era. The library finds that out too, and then
 * once more.
 */
function namesRevision(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { _meta?: unknown } };
  const meta = params?._meta;
  return (
    typeof method === "string" &&
    method !== "initialize" &&
    typeof meta === "object" &&
    meta !== null &&
    PROTOCOL_VERSION_META_KEY in meta
  );
}

/** Who serves which request. */
const serving = new WeakMap<Request, () => Server>();
const handler = createMcpHandler(
  ({ requestInfo }) => (serving.get(requestInfo as Request) as () => Server)(),
  { legacy: "reject" },
);

/** Revision 2026-07-28. */
function modern(request: Request, parsedBody: unknown, serve: () => Server): Promise<Response> {
  serving.set(request, serve);
  return handler.fetch(request, { parsedBody });
}

/** Revisions up to 2025-11-25. */
async function older(request: Request, parsedBody: unknown, serve: () => Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await serve().connect(transport);
  return transport.handleRequest(accepting(request), { parsedBody });
}

/** The one message of a body, or the refusal of what is none. */
function messageOf(bytes: Uint8Array): unknown {
  let body: unknown;
  try {
    body = parseJson(bytes);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refuse(400, ProtocolErrorCode.ParseError, error.detail);
  }
  if (Array.isArray(body))
    return refuse(
      400,
      ProtocolErrorCode.InvalidRequest,
      "Batches are not taken: send each message by itself.",
    );
  dropNulls(body);
  const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown };
  // Nothing is ever pushed, so a subscription would be a connection that stays open for nothing.
  if (method === "subscriptions/listen")
    return refuse(404, ProtocolErrorCode.MethodNotFound, "Nothing here can be subscribed to.", id);
  return body;
}

const refuse = (status: number, code: number, message: string, id: unknown = null): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });

function accepting(request: Request): Request {
  const { method, url } = request;
  const headers = new Headers(request.headers);
  headers.set("accept", accept);
  return new Request(url, { method, headers });
}

/** Said before the body is read, so it names every scope that a tool may need. */
function unknownToken({ config }: Context): Problem {
  const needed = allScopes.filter((scope) => toolOperations.some((op) => op.scope === scope)).join(" ");
  const metadata = config.siteUrl + paths.protectedResourceMcp;
  return new Problem(
    401,
    "The token is unknown, revoked or expired. Configure a valid one for this MCP server; an admin of the service creates it.",
    {
      "www-authenticate": `Bearer realm="svc", error="invalid_token", error_description="Unknown token", scope="${needed}", resource_metadata="${metadata}"`,
    },
  );
}
