/**
 * Direct tool calls: an ordinary `tools/call` is answered without a server of the MCP library, which needs
 * one for each HTTP request and validates each message about ten times. That was half of the CPU of a call
 * (`bun run bench mcp`). The library answers all others. The responses are the same.
 */

import { type CallToolRequest, type RequestId, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { findDeprecation } from "../../../core/deprecation.ts";
import { jsonWith } from "../../../core/rendered-json.ts";
import type { Context } from "../../context.ts";
import { serverInfo } from "../server-info.ts";
import { type Era, eraOf, type PlainCall } from "./call-era.ts";
import { callTool } from "./call-tool.ts";
import { findTool, type ResolveCaller } from "./tools.ts";

export interface DirectCall {
  id: RequestId;
  era: Era;
  params: CallToolRequest["params"];
}

/**
 * Returns the call if it can be answered directly. The library answers calls that are not valid, of tools
 * that are unknown, deprecated, or report progress, and with parameters that svc does not use.
 *
 * @param message any JSON value
 * @param headers of an HTTP request
 */
export function findDirectCall(ctx: Context, message: unknown, headers?: Headers): DirectCall | null {
  if (!isPlainCall(message)) return null;
  const { id, params } = message;
  const tool = findTool(params.name)?.tool;
  if (!tool || tool.reportsProgress || findDeprecation(ctx, "tool", tool.name)) return null;
  const era = eraOf(message, headers);
  return era && { id, era, params };
}

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Others change how a call is answered. */
const plainParams: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);

/**
 * Whether a message is a valid call, apart from its `_meta`, that has nothing but what a call needs. The
 * schemas of the library take longer to find that out than the call itself.
 */
export function isPlainCall(message: unknown): message is PlainCall {
  if (!isObject(message) || message.method !== "tools/call" || message.jsonrpc !== "2.0") return false;
  const { id, params } = message;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false;
  if (Object.keys(message).length !== 4 || !isObject(params)) return false;
  for (const name in params) if (!plainParams.has(name)) return false;
  return typeof params.name === "string" && (params.arguments === undefined || isObject(params.arguments));
}

/** The response to a direct call, as JSON. */
export async function answerDirectly(
  ctx: Context,
  { id, era, params }: DirectCall,
  resolveCaller: ResolveCaller,
  isStructured: boolean,
): Promise<string> {
  // No control: only tools that report progress wait, so there is nothing to cancel.
  const called = await callTool(ctx, resolveCaller, params, {}, isStructured);
  const result = era === "modern" ? jsonWith(called, modernMembers).text : called;
  return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

/** What every result of the new revision has. */
const modernMembers = JSON.stringify({
  resultType: "complete",
  _meta: { [SERVER_INFO_META_KEY]: serverInfo },
});
