/**
 * Operations as MCP tools. A tool is a row of `src/operations`; its arguments are the input of the row, a
 * schema in the `schema.ts` of its noun.
 */
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { CaptionedImage } from "../assets/files/images-for-models.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context, DescriptionContext, RequestControl } from "../context.ts";
import {
  deprecationNotice,
  findDeprecation,
  markDeprecatedFields,
  requireNotRetired,
} from "../deprecation.ts";
import { type JsonSchema, shapeOf, toJsonSchema } from "../lib/json-schema.ts";
import { dataTagger, tagData } from "../lib/strings/untrusted-text.ts";
import { documentedTools, toolOperations } from "../operations/index.ts";
import { invoke } from "../operations/invoke.ts";
import type { Operation, ToolBinding } from "../operations/operation.ts";
import { Json } from "../wire.ts";
import type { InsertRawJson } from "./raw-json.ts";
import { reviewCardMeta } from "./review-card/review-card.ts";
import { describeError } from "./tool-errors.ts";

/** Resolves the caller of each request: a token may be revoked while a connection is open. */
export type ResolveCaller = () => Caller | Promise<Caller>;

type ToolOperation = Operation & { tool: ToolBinding };

const toolsByName = new Map(toolOperations.map((op) => [op.tool.name, op]));

export const findTool = (name: string): ToolOperation | undefined => toolsByName.get(name);

/** Describes every tool for `tools/list`, the same for all callers: scopes are checked by the call. */
export const describeTools = (site: DescriptionContext): Tool[] =>
  documentedTools(site).map((op) => describeTool(site, op));

function describeTool(
  site: DescriptionContext,
  { tool, summary, description, scope, writes, input, output }: ToolOperation,
): Tool {
  const deprecation = findDeprecation(site, "tool", tool.name);
  const sentences = [
    `${summary}.`,
    description,
    scope === "public" ? "Public." : `Scope: ${scope}.`,
    ...(deprecation ? [deprecationNotice(deprecation)] : []),
  ];
  const schema = (type: TSchema) =>
    toJsonSchema(type, site.config, (name, describe) => markDeprecatedFields(site, name, describe()));
  return {
    name: tool.name,
    title: tool.title,
    description: sentences.join(" "),
    inputSchema: toInputSchema(markDeprecatedFields(site, tool.name, schema(input))),
    ...(hasOutputSchema(tool) && { outputSchema: shapeOf(schema(output)) as Tool["outputSchema"] }),
    annotations: {
      title: tool.title,
      readOnlyHint: !writes,
      destructiveHint: tool.destructive ?? false,
      idempotentHint: !writes || (tool.idempotent ?? false),
      openWorldHint: false, // reads and writes only its own database and stores
    },
    ...((tool.reviewCard || deprecation) && {
      _meta: {
        ...(tool.reviewCard && reviewCardMeta),
        ...(deprecation && {
          ...{ deprecated: true, sunset: deprecation.sunset, replacement: deprecation.replacement },
        }),
      },
    }),
  };
}

/**
 * Whether a keyword tells a model nothing: patterns that only exclude control characters, the sizes and
 * examples of numbers, ids and hashes, and that text is not empty. Every session pays for the length of
 * `tools/list`, and the call still checks them.
 */
const isObvious = (keyword: string, value: unknown): boolean =>
  (keyword === "pattern" && typeof value === "string" && value.includes("\\x")) ||
  (keyword === "format" && (value === "int64" || value === "double")) ||
  (keyword === "maximum" && typeof value === "number" && value >= 2 ** 31 - 1) ||
  (keyword === "minLength" && value === 1) ||
  (keyword === "examples" && Array.isArray(value) && isOpaque(value[0]));

/** Whether an example is a number, an id, or a hash, which its pattern describes. */
const isOpaque = (example: unknown): boolean =>
  typeof example === "number" ||
  (typeof example === "string" && /^([0-9A-Z]{26}|[0-9a-f]{64})$/.test(example));

/** Whether a description only repeats the name of its field. */
const repeatsName = (name: string, description: unknown): boolean =>
  typeof description === "string" && description.toLowerCase() === `${name}.`;

/**
 * Describes a field that is one value or a list by its one value: every session pays for the length of
 * `tools/list`, and the list would repeat it. A call may pass a list.
 */
const oneValue = ({ anyOf, ...field }: JsonSchema): JsonSchema => {
  const options = anyOf as JsonSchema[] | undefined;
  if (options?.[1]?.type === "array") return { ...options[0], ...field };
  return options ? { ...field, anyOf } : field;
};

/**
 * Omits `null` from types: null arguments count as absent, and some clients cannot handle a list of types.
 */
function toInputSchema(schema: JsonSchema): Tool["inputSchema"] {
  const shown = JSON.parse(
    JSON.stringify(schema, (keyword, value) => (isObvious(keyword, value) ? undefined : value)),
  ) as JsonSchema;
  const fields = Object.entries(shown.properties as Record<string, JsonSchema>).map(([name, described]) => {
    const field = oneValue(described);
    if (repeatsName(name, field.description)) delete field.description;
    const types = [field.type].flat().filter((type) => type !== "null");
    return [name, { ...field, type: types.length === 1 ? types[0] : types }];
  });
  return { ...shown, type: "object", properties: Object.fromEntries(fields) };
}

/** Whether the result is text only: repeating it as JSON would double its tokens. */
const isTextOnly = ({ tool }: ToolOperation): boolean => tool.text !== undefined && !tool.structured;

/**
 * Whether `tools/list` includes the output schema. Every session pays for the length of `tools/list`, so it
 * does only where programs read the output.
 */
const hasOutputSchema = ({ text, structured, receipt }: ToolBinding): boolean =>
  !receipt && (!text || structured === true);

/** The result of a tool, for programs and as text for a model. */
interface ToolResult {
  value: unknown;
  /** The value as JSON, if it has been serialized. */
  json: string | null;
  text: string;
}

/** Runs the operation of a tool. @throws Problem if it is refused */
export async function runTool(
  ctx: Context,
  caller: Caller,
  op: ToolOperation,
  args: Record<string, unknown>,
  control?: RequestControl,
): Promise<ToolResult> {
  const output = await invoke(op, ctx, caller, () => new Map(Object.entries(args)), control);
  const stored = output instanceof Json ? output.text : null;
  const result = {
    json: stored,
    text: "",
    get value(): unknown {
      return stored === null ? output : JSON.parse(stored);
    },
  };
  if (op.tool.text) result.text = op.tool.text(result.value, dataTagger(ctx.secret));
  else {
    const json = stored ?? JSON.stringify(output);
    result.json = json;
    // Public output is written by the service. Other output may contain text that its named authors wrote.
    result.text = op.scope === "public" ? json : tagData(ctx.secret, "the authors named in it", json);
  }
  return result;
}

const imageContent = ({ caption, mime, bytes }: CaptionedImage): CallToolResult["content"] => [
  { type: "text", text: caption },
  ...(mime && bytes
    ? [{ type: "image" as const, mimeType: mime, data: Buffer.from(bytes).toString("base64") }]
    : []),
];

/**
 * Handles `tools/call`. A refused call is a result with `isError` that says why and what to do: models can
 * act on a result, but not on a protocol error.
 */
export async function callTool(
  ctx: Context,
  resolveCaller: ResolveCaller,
  { name, arguments: args = {} }: CallToolRequest["params"],
  insertRawJson: InsertRawJson,
  control: RequestControl,
): Promise<CallToolResult> {
  const op = findTool(name);
  const deprecation = findDeprecation(ctx, "tool", name);
  if (!op || deprecation?.state === "removed")
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool '${name}'. Call tools/list for the available tools.`,
    );
  let caller: Caller | null = null;
  try {
    requireNotRetired(deprecation, name);
    caller = await resolveCaller();
    const result = await runTool(ctx, caller, op, args, control);
    const images =
      args.image === true ? await op.tool.images?.(ctx, result.value as never, caller) : undefined;
    const content = [{ type: "text" as const, text: result.text }, ...(images ?? []).flatMap(imageContent)];
    if (isTextOnly(op)) return { content };
    const value = result.json === null ? result.value : insertRawJson(result.json);
    return { content, structuredContent: value as Record<string, unknown> };
  } catch (error) {
    return { content: [{ type: "text", text: describeError(ctx, error, name, caller) }], isError: true };
  }
}
