/** Calls a tool. The result is JSON text, since most of it is. */
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/auth/caller.ts";
import type { RequestControl } from "../../../core/context.ts";
import { findDeprecation, requireNotRetired } from "../../../core/deprecation.ts";
import { Cache, perObject } from "../../../core/lib/cache.ts";
import type { CaptionedImage } from "../../../core/wire.ts";
import type { Context } from "../../context.ts";
import { withTextRead } from "./text-arguments.ts";
import { describeError } from "./tool-errors.ts";
import { findTool, jsonForModel, type ResolveCaller, runTool, type ToolOperation } from "./tools.ts";

/**
 * Handles `tools/call`. A refused call is a result with `isError` that says why and what to do: models can
 * act on a result, but not on a protocol error.
 * @param isStructured whether the client takes structured content
 * @returns the `CallToolResult` as JSON
 */
export async function callTool(
  ctx: Context,
  resolveCaller: ResolveCaller,
  { name, arguments: given = {} }: CallToolRequest["params"],
  control: RequestControl,
  isStructured: boolean,
): Promise<string> {
  const op = findTool(name);
  const deprecation = findDeprecation(ctx, "tool", name);
  if (!op || deprecation?.state === "removed")
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool '${name}'. Call tools/list for the available tools.`,
    );
  const args = withTextRead(op.input, given);
  let caller: Caller | null = null;
  try {
    requireNotRetired(deprecation, name);
    caller = await resolveCaller();
    const output = await runTool(ctx, caller, op, args, control);
    const images =
      args.image === true ? await op.tool.images?.(ctx, output.value as never, caller) : undefined;
    const ignored = ignoredArguments(op, args);
    const structured = isStructured && !isTextOnly(op) ? output.json : null;
    if (!op.tool.text && !images && ignored.length === 0)
      return resultOf(contentOfJson(ctx, op, output.json), structured);
    const content = [textContent(output.text), ...(images ?? []).flatMap(imageContent), ...ignored];
    return resultOf(JSON.stringify(content), structured);
  } catch (error) {
    const content = [textContent(await describeError(ctx, error, name, caller))];
    return JSON.stringify({ content, isError: true } satisfies CallToolResult);
  }
}

type Content = CallToolResult["content"];

const textContent = (text: string) => ({ type: "text" as const, text });

const imageContent = ({ caption, mime, bytes }: CaptionedImage): Content => [
  textContent(caption),
  ...(mime && bytes
    ? [{ type: "image" as const, mimeType: mime, data: Buffer.from(bytes).toString("base64") }]
    : []),
];

/**
 * Arguments that a tool does not have are ignored, so that clients of a newer version work. A model that
 * mistyped one would take the result for what it asked, so it is told.
 */
function ignoredArguments({ input }: ToolOperation, args: Record<string, unknown>): Content {
  const known = Object.keys(input.properties);
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return [];
  return [textContent(`Ignored unknown arguments: ${unknown.join(", ")}. Known: ${known.join(", ")}.`)];
}

/** Whether the result is text only: repeating it as JSON would double its tokens. */
const isTextOnly = ({ tool }: ToolOperation): boolean => tool.text !== undefined && !tool.structured;

/** Joins two texts of JSON. */
const resultOf = (content: string, structured: string | null): string =>
  `{"content":${content}${structured === null ? "" : `,"structuredContent":${structured}`}}`;

/** A page of 50 events has 20,000 characters, and its content 25,000. */
const cachedLengthMax = 2 ** 15;
const cachedContentsMax = 16;

/**
 * Content by the JSON that it contains, which clients that poll get again and again. To tag and escape a
 * page takes three times as long as to read it from the database (`bun run bench mcp`).
 */
const contentsOf = perObject((_ctx: Context) => ({
  public: new Cache<string, string>({ max: cachedContentsMax }),
  tagged: new Cache<string, string>({ max: cachedContentsMax }),
}));

/** The content of a tool whose output is JSON. */
function contentOfJson(ctx: Context, op: ToolOperation, json: string): string {
  const make = () => JSON.stringify([textContent(jsonForModel(op, ctx.secret, json))]);
  if (json.length > cachedLengthMax) return make();
  return contentsOf(ctx)[op.scope === "public" ? "public" : "tagged"].getOrMake(json, make);
}
