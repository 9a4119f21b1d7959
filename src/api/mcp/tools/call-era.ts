/** Tells in which era of the protocol a tool call was made, as the MCP library does. */
import {
  type CallToolRequest,
  classifyInboundRequest,
  isSpecType,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { Cache } from "../../../core/lib/cache.ts";

/** `modern`: revision 2026-07-28, where each request carries its revision. `legacy`: those before it. */
export type Era = "legacy" | "modern";

const modernRevision = "2026-07-28";

/** A call that is valid apart from its `_meta`, and has no further members. */
export type PlainCall = CallToolRequest & { jsonrpc: "2.0"; id: RequestId };

const knownErasMax = 100;
const keyLengthMax = 1_000;
/**
 * Eras of calls. Whether the library accepts a plain call, and in which era, depends only on its `_meta` and
 * its headers, which are the same for all calls of most clients.
 */
const knownEras = new Cache<string, Era | "refused">({ max: knownErasMax });

/**
 * The era of a call, by the headers of its request if it came over HTTP. Null if the library refuses it, or
 * may do so.
 */
export function eraOf(call: PlainCall, headers?: Headers): Era | null {
  const { name, _meta: meta } = call.params;
  if (!headers && meta === undefined) return "legacy";
  const header = (field: string) => headers?.get(field) ?? undefined;
  const [version, method] = [header("mcp-protocol-version"), header("mcp-method")];
  const isHttp = headers !== undefined;
  const key = JSON.stringify({ isHttp, version, method, meta });
  const classify = () => classifyCall(call, version, method, isHttp) ?? "refused";
  const era = key.length > keyLengthMax ? classify() : knownEras.getOrMake(key, classify);
  if (era === "refused") return null;
  return era === "legacy" || !isHttp || header("mcp-name") === name ? era : null;
}

function classifyCall(
  body: PlainCall,
  version: string | undefined,
  method: string | undefined,
  isHttp: boolean,
): Era | null {
  if (!isSpecType.CallToolRequest(body)) return null;
  if (!isHttp && !hasProtocolVersion(body)) return "legacy";
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
  });
  if (route.kind === "modern") {
    const isServed = route.messageKind === "request" && route.classification.revision === modernRevision;
    return isServed && (!isHttp || (version && method)) ? "modern" : null;
  }
  const isServed = route.kind === "legacy" && route.reason === "no-claim" && isSupported(version);
  return isServed ? "legacy" : null;
}

/** Whether a message names its protocol revision, which only new revisions do. */
export function hasProtocolVersion(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { _meta?: unknown } };
  const meta = params?._meta;
  return (
    typeof method === "string" &&
    method !== "initialize" &&
    typeof meta === "object" &&
    meta !== null &&
    PROTOCOL_VERSION_META_KEY in meta
  );
}

const isSupported = (version: string | undefined): boolean =>
  version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
