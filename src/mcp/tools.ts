/** The table of operations as tools. */
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { Caller } from "../auth/caller.ts";
import type { Context, DescriptionContext } from "../context.ts";
import { marked, noticeOf, requireServed, retiring } from "../deprecation.ts";
import { dataTagger, tagData } from "../lib/data-tags.ts";
import { type JsonSchema, shapeOf, toJsonSchema } from "../lib/json-schema.ts";
import { listedTools, toolOperations } from "../operations/index.ts";
import { invoke } from "../operations/invoke.ts";
import type { Operation, ToolFacts } from "../operations/operation.ts";
import { Json } from "../wire.ts";
import type { StandFor } from "./raw-schemas.ts";
import { reasonOf } from "./tool-errors.ts";

/** The caller of this very request: a token may be revoked while a connection is open. */
export type Who = () => Caller | Promise<Caller>;

type ToolOperation = Operation & { tool: ToolFacts };

const byName = new Map(toolOperations.map((op) => [op.tool.name, op]));

export const toolNamed = (name: string): ToolOperation | undefined => byName.get(name);

/** Every tool, in the order of the table, whoever asks: scopes are a matter of the call. */
export const describeTools = (site: DescriptionContext): Tool[] =>
  listedTools(site).map((op) => describeTool(site, op));

function describeTool(
  site: DescriptionContext,
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
      openWorldHint: false, // its own rows, and no model, no other host
    },
    ...(retires && { _meta: { deprecated: true, sunset: retires.sunset, replacement: retires.replacement } }),
  };
}

/** A pattern that only excludes control characters tells a model nothing; the call checks it. */
const isForProgramsOnly = (pattern: unknown): boolean =>
  typeof pattern === "string" && pattern.includes("\\x");

/** A null argument is an absent one (see nulls.ts), and some clients cannot show a model a list of types. */
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

/** The text is the whole answer: the same again as JSON would double its tokens. */
const isTextOnly = ({ tool }: ToolOperation): boolean => tool.text !== undefined && !tool.structured;

/**
 * Every session of a model pays for the length of `tools/list`, so it has output schemas only where programs
 * read the output.
 */
const describesOutput = ({ text, structured, receipt }: ToolFacts): boolean =>
  !receipt && (!text || structured === true);

/** What a tool gave: for programs, and for a reader. */
interface Said {
  value: unknown;
  /** The value as JSON, where that is ready. */
  json: string | null;
  text: string;
}

/** Runs the operation behind a tool; refusals are thrown. */
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
  if (op.tool.text) said.text = op.tool.text(said.value, dataTagger(ctx.secret));
  else {
    const text = json ?? JSON.stringify(output);
    // What is public is the service's own word; all else may hold somebody else's, who is named beside it.
    said.text = op.scope === "public" ? text : tagData(ctx.secret, "those named in it", text);
  }
  return said;
}

/**
 * A refusal is a result that says why and how to mend it: a model can act on that, on a protocol error it
 * cannot.
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
      `There is no tool '${name}'; tools/list names them.`,
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
