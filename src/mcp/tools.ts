/** The table of operations as tools. */
import { type CallToolRequest, type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from "@modelcontextprotocol/server";
import type { Caller } from "../auth/caller.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { enclose, enclosing } from "../enclose.ts";
import { toJsonSchema } from "../json-schema.ts";
import { toolOperations } from "../operations/index.ts";
import { invoke } from "../operations/invoke.ts";
import type { Operation, ToolFacts } from "../operations/operation.ts";
import { Json } from "../wire.ts";
import { reasonOf } from "./refusal.ts";
import type { Verbatim } from "./verbatim.ts";

/** The caller of this very request: a token may be revoked while a connection is open. */
export type Who = () => Caller | Promise<Caller>;

type ToolOperation = Operation & { tool: ToolFacts };

const byName = new Map(toolOperations.map((op) => [op.tool.name, op]));

export const toolNamed = (name: string): ToolOperation | undefined => byName.get(name);

/** Every tool, in the order of the table, whoever asks: scopes are a matter of the call. */
export const describeTools = (config: Config): Tool[] =>
  toolOperations.map(({ tool, summary, description, scope, writes, input, output }) => ({
    name: tool.name,
    title: tool.title,
    description: `${summary}. ${description} ${scope === "public" ? "Public." : `Scope: ${scope}.`}`,
    inputSchema: inputSchema(toJsonSchema(input, config)),
    outputSchema: toJsonSchema(output, config) as Tool["outputSchema"],
    annotations: {
      title: tool.title,
      readOnlyHint: !writes,
      destructiveHint: tool.destructive ?? false,
      idempotentHint: !writes || (tool.idempotent ?? false),
      openWorldHint: false, // its own rows, and no model, no other host
    },
  }));

/** Without parameters, a schema says so. */
const inputSchema = (schema: Record<string, unknown>): Tool["inputSchema"] => ({
  ...schema,
  type: "object",
  ...(Object.keys(schema.properties ?? {}).length === 0 && { additionalProperties: false }),
});

/** What a tool gave: for programs, and for a reader. */
interface Said {
  value: unknown;
  /** The value as JSON, where that is ready. */
  json: string | null;
  text: string;
}

/** Runs the operation behind a tool; refusals are thrown. */
export async function runTool(ctx: Context, caller: Caller, op: ToolOperation, args: Record<string, unknown>): Promise<Said> {
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
    // What is public is the service's own word; all else may hold somebody else's, who is named beside it.
    said.text = op.scope === "public" ? text : enclose(ctx.secret, "those named in it", text);
  }
  return said;
}

/** A refusal is a result that says why and how to mend it: a model can act on that, on a protocol error it cannot. */
export async function callTool(
  ctx: Context,
  who: Who,
  { name, arguments: args = {} }: CallToolRequest["params"],
  verbatim?: Verbatim,
): Promise<CallToolResult> {
  const op = toolNamed(name);
  if (!op) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool '${name}'; tools/list names them.`);
  try {
    const said = await runTool(ctx, await who(), op, args);
    const value = said.json !== null && verbatim ? verbatim.standFor(said.json) : said.value;
    return { content: [{ type: "text", text: said.text }], structuredContent: value as Record<string, unknown> };
  } catch (error) {
    return { content: [{ type: "text", text: reasonOf(ctx, error, name) }], isError: true };
  }
}
