/**
 * Direct tool calls: an ordinary `tools/call` is answered without a server of the MCP library, which needs
 * one for each HTTP request and validates each message about ten times. That was half of the CPU of a call
 * (`bun run bench mcp`). The library still classifies and validates the request, and answers all others.
 * The responses are the same.
 */
import {
  type CallToolRequest,
  classifyInboundRequest,
  isSpecType,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Context } from "../../context.ts";
import { findDeprecation } from "../../deprecation.ts";
import { serverInfo } from "../server.ts";
import { callTool } from "./call-tool.ts";
import { findTool, type ResolveCaller } from "./tools.ts";

/** `modern`: revision 2026-07-28, where each request carries its revision. `legacy`: those before it. */
export type Era = "legacy" | "modern";

export interface DirectCall {
  id: RequestId;
  era: Era;
  params: CallToolRequest["params"];
}

const modernRevision = "2026-07-28";
/** Others change how a call is answered. */
const directParams: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);

/**
 * Returns the call if it can be answered directly. The library answers calls that are not valid, of tools
 * that are unknown, deprecated, or report progress, and with parameters that svc does not use.
 *
 * @param headers of an HTTP request
 */
export function findDirectCall(ctx: Context, message: unknown, headers?: Headers): DirectCall | null {
  if (!isCall(message)) return null;
  const { id, params } = message;
  const tool = findTool(params.name)?.tool;
  if (!tool || tool.reportsProgress || findDeprecation(ctx, "tool", tool.name)) return null;
  for (const name in params) if (!directParams.has(name)) return null;
  const era = eraOf(message, headers);
  return era && { id, era, params };
}

type Call = CallToolRequest & { id: RequestId };

const isCall = (message: unknown): message is Call =>
  (message as { method?: unknown } | null)?.method === "tools/call" && isSpecType.CallToolRequest(message);

/** Null if the library refuses the request, or may do so. Messages on stdio are known to be JSON-RPC. */
function eraOf(body: Call, headers?: Headers): Era | null {
  if (!headers && !hasProtocolVersion(body)) return "legacy";
  const header = (name: string) => headers?.get(name) ?? undefined;
  const version = header("mcp-protocol-version");
  const method = header("mcp-method");
  const route = classifyInboundRequest({
    ...{ httpMethod: "POST", body },
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
  });
  if (route.kind === "modern") {
    const isServed = route.messageKind === "request" && route.classification.revision === modernRevision;
    const hasHeaders = version && method && header("mcp-name") === body.params.name;
    return isServed && (!headers || hasHeaders) ? "modern" : null;
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

/** The response to a direct call, as JSON. */
export async function answerDirectly(
  ctx: Context,
  { id, era, params }: DirectCall,
  resolveCaller: ResolveCaller,
): Promise<string> {
  // No control: only tools that report progress wait, so there is nothing to cancel.
  const called = await callTool(ctx, resolveCaller, params, {});
  const result = era === "modern" ? `${called.slice(0, -1)},${modernMembers}}` : called;
  return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

/** What every result of the new revision has. */
const modernMembers = JSON.stringify({
  ...{ resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: serverInfo } },
}).slice(1, -1);
