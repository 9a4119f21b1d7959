/** Operations as MCP tools. */
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { Caller } from "../auth/caller.ts";
import type { Context, Describing } from "../context.ts";
import { marked, noticeOf, requireServed, retiring } from "../deprecation.ts";
import { enclose, enclosing } from "../lib/data-tags.ts";
import { type JsonSchema, shapeOf, toJsonSchema } from "../lib/json-schema.ts";
import { listedTools, toolOperations } from "../operations/index.ts";
import { invoke } from "../operations/invoke.ts";
import type { Operation, ToolFacts } from "../operations/operation.ts";
import { Json } from "../wire.ts";
import type { StandFor } from "./raw-schemas.ts";
import { reasonOf } from "./tool-errors.ts";

/** Resolves the caller of each request: a token may be revoked while a connection is open. */
export type Who = () => Caller | Promise<Caller>;

type ToolOperation = Operation & { tool: ToolFacts };

const byName = new Map(toolOperations.map((op) => [op.tool.name, op]));

export const toolNamed = (name: string): ToolOperation | undefined => byName.get(name);

/** Describes every tool for `tools/list`, the same for all callers: scopes are checked by the call. */
export const describeTools = (site: Describing): Tool[] =>
  listedTools(site).map((op) => describeTool(site, op));

function describeTool(
  site: Describing,
  { tool, summary, description, scope, writes, input, output }: ToolOperation,
): Tool {
  const retires = retiring(site, "tool", tool.name);
  const said = [
    `${summary}.`,
    description,
    scope === "public" ? "Public." : `Scope: ${scope}.`,
    ...(retires ? [noticeOf(retires)] : []),
  ];
  const schema = (one: TSchema) =>
    toJsonSchema(one, site.config, (name, describe) => marked(site, name, describe()));
  return {
    name: tool.name,
    title: tool.title,
    description: said.join(" "),
    inputSchema: inputOf(marked(site, tool.name, schema(input))),
    ...(describesOutput(tool) && { outputSchema: shapeOf(schema(output)) as Tool["outputSchema"] }),
    annotations: {
      title: tool.title,
      readOnlyHint: !writes,
      destructiveHint: tool.destructive ?? false,
      idempotentHint: !writes || (tool.idempotent ?? false),
      openWorldHint: false, // reads and writes only its own database and stores
    },
    ...(retires && { _meta: { deprecated: true, sunset: retires.sunset, replacement: retires.replacement } }),
  };
}

/** Patterns that only exclude control characters are not shown to models; the call still checks them. */
const isForProgramsOnly = (pattern: unknown): boolean =>
  typeof pattern === "string" && pattern.includes("\\x");

/** Omits `null` from types: null arguments count as absent, and some clients cannot handle a list of types. */
function inputOf(schema: JsonSchema): Tool["inputSchema"] {
  const fields = Object.entries(schema.properties as Record<string, JsonSchema>).map(
    ([name, { pattern, ...field }]) => {
      const types = [field.type].flat().filter((type) => type !== "null");
      const shown = pattern === undefined || isForProgramsOnly(pattern) ? {} : { pattern };
      return [name, { ...field, ...shown, type: types.length === 1 ? types[0] : types }];
    },
  );
  return { ...schema, type: "object", properties: Object.fromEntries(fields) };
}

/** Whether the result is text only: repeating it as JSON would double its tokens. */
const isTextOnly = ({ tool }: ToolOperation): boolean => tool.text !== undefined && !tool.structured;

/**
 * Whether `tools/list` includes the output schema. Every session pays for the length of `tools/list`, so it
 * does only where programs read the output.
 */
const describesOutput = ({ text, structured, receipt }: ToolFacts): boolean =>
  !receipt && (!text || structured === true);

/** The result of a tool, for programs and as text for a model. */
interface Said {
  value: unknown;
  /** The value as JSON, if it is already serialized. */
  json: string | null;
  text: string;
}

/** Runs the operation of a tool. @throws Problem if it is refused */
export async function runTool(
  ctx: Context,
  caller: Caller,
  op: ToolOperation,
  args: Record<string, unknown>,
): Promise<Said> {
  const output = await invoke(op, ctx, caller, () => new Map(Object.entries(args)));
  const json = output instanceof Json ? output.text : null;
  const said = {
    json,
    text: "",
    get value(): unknown {
      return json === null ? output : JSON.parse(json);
    },
  };
  if (op.tool.text) said.text = op.tool.text(said.value, enclosing(ctx.secret));
  else {
    const text = json ?? JSON.stringify(output);
    // Public output is written by the service. Other output may contain text that its named authors wrote.
    said.text = op.scope === "public" ? text : enclose(ctx.secret, "the authors named in it", text);
  }
  return said;
}

/**
 * Handles `tools/call`. A refused call is a result with `isError` that says why and what to do: models can
 * act on a result, but not on a protocol error.
 */
export async function callTool(
  ctx: Context,
  who: Who,
  { name, arguments: args = {} }: CallToolRequest["params"],
  standFor: StandFor,
): Promise<CallToolResult> {
  const op = toolNamed(name);
  const retires = retiring(ctx, "tool", name);
  if (!op || retires?.standing === "removed")
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool '${name}'. Call tools/list for the available tools.`,
    );
  let caller: Caller | null = null;
  try {
    requireServed(retires, name);
    caller = await who();
    const said = await runTool(ctx, caller, op, args);
    const content: CallToolResult["content"] = [{ type: "text", text: said.text }];
    if (isTextOnly(op)) return { content };
    const value = said.json === null ? said.value : standFor(said.json);
    return { content, structuredContent: value as Record<string, unknown> };
  } catch (error) {
    return { content: [{ type: "text", text: reasonOf(ctx, error, name, caller) }], isError: true };
  }
}
