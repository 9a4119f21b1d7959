/** Calls a tool. The result is JSON text, since most of it is. */
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/auth/caller.ts";
import type { RequestControl } from "../../../core/context.ts";
import { findDeprecation, requireNotRetired } from "../../../core/deprecation.ts";
import { Cache, perObject } from "../../../core/lib/cache.ts";
import { checker, type InputSchema } from "../../../core/lib/validate.ts";
import type { CaptionedImage } from "../../../core/wire.ts";
import type { Context } from "../../context.ts";

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

/**
 * Some clients send every argument as text: a number, a boolean, or a list in JSON counts as what it says,
 * also with the names of Python.
 */
const readable = /^(-?\d+(\.\d+)?|[Tt]rue|[Ff]alse|\[.*\])$/s;
/** One item of a list: no list, and none of several with commas between. */
const item = /^[^\s,;[\]]+$/;

/**
 * Returns the arguments with such texts as values, only where the schema takes the value and not the text;
 * numbers as text, and one text as a list, likewise. What cannot be read stays as it is, and fails
 * validation.
 */
export function withTextRead(schema: InputSchema, args: Record<string, unknown>): Record<string, unknown> {
  const read = Object.entries(args).map(([name, value]) => [name, valueIn(schema.properties[name], value)]);
  return Object.fromEntries(read);
}

function valueIn(field: InputSchema["properties"][string] | undefined, value: unknown): unknown {
  if ((typeof value !== "string" && typeof value !== "number") || !field) return value;
  const check = checker(field);
  const isTaken = (one: unknown): boolean => check.Check(one);
  if (isTaken(value)) return value;
  if (typeof value === "number") return isTaken(String(value)) ? String(value) : value;
  if (item.test(value) && isTaken([value])) return [value];
  if (field.type === "string" || !readable.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value.replace(/^[TF]/, (letter) => letter.toLowerCase()));
    return isTaken(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

/**
 * The control of a request.
 * @param connection aborted when the client disconnects, on transports where the library does not notice
 */
export function requestControl({ mcpReq }: ServerContext, connection?: AbortSignal): RequestControl {
  const { signal, _meta } = mcpReq;
  const progressToken = _meta?.progressToken;
  return {
    signal: connection ? AbortSignal.any([signal, connection]) : signal,
    ...(progressToken !== undefined && {
      reportProgress(progress, total, message) {
        const params = { progressToken, progress, total, message };
        // a client that is gone hears nothing more
        mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
      },
    }),
  };
}

/** Whether a message calls a tool that reports progress, and its client listens for it. */
export function wantsProgress(accept: string | null, body: unknown): boolean {
  const { method, params } = body as { method?: unknown; params?: Record<string, unknown> };
  const { name, _meta } = params ?? {};
  return (
    method === "tools/call" &&
    (_meta as { progressToken?: unknown } | undefined)?.progressToken !== undefined &&
    findTool(String(name))?.tool.reportsProgress === true &&
    /\btext\/event-stream\b/.test(accept ?? "")
  );
}
