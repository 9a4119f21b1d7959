/** Describes operations as MCP tools, for `tools/list`. Every session pays for the length of the list. */

import { CLIENT_INFO_META_KEY, type Tool } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { DescriptionContext } from "../../../core/context.ts";
import { deprecationNotice, findDeprecation, markDeprecatedFields } from "../../../core/deprecation.ts";
import { type JsonSchema, shapeOf, toJsonSchema } from "../../../core/lib/json-schema.ts";
import type { ToolBinding } from "../../../core/operation.ts";
import { documentedTools } from "../../operations/index.ts";
import { reviewCardMeta } from "../review-card/review-card.ts";
import type { ToolOperation } from "./tools.ts";

/**
 * Describes every tool for `tools/list`, the same for all callers: scopes are checked by the call.
 * @param isStructured whether the client takes structured content
 */
export const describeTools = (site: DescriptionContext, isStructured: boolean): Tool[] =>
  documentedTools(site).map((op) => describeTool(site, op, isStructured));

function describeTool(
  site: DescriptionContext,
  { tool, summary, description, scope, writes, input, output }: ToolOperation,
  isStructured: boolean,
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
    ...(isStructured &&
      hasOutputSchema(tool) && { outputSchema: shapeOf(schema(output)) as Tool["outputSchema"] }),
    annotations: {
      readOnlyHint: !writes,
      destructiveHint: tool.destructive ?? false,
      idempotentHint: !writes || (tool.idempotent ?? false),
      openWorldHint: false, // reads and writes only its own database and stores
    },
    ...((tool.reviewCard || deprecation) && {
      _meta: {
        ...(tool.reviewCard && reviewCardMeta),
        ...(deprecation && {
          deprecated: true,
          sunset: deprecation.sunset,
          replacement: deprecation.replacement,
        }),
      },
    }),
  };
}

/**
 * Whether a keyword tells a model nothing: patterns that only exclude control characters, the sizes and
 * examples of numbers, ids and hashes, examples of what a pattern describes, and that text is not empty.
 * Every session pays for the length of `tools/list`, and the call still checks them.
 */
const isObvious = (keyword: string, value: unknown, { pattern }: JsonSchema): boolean =>
  (keyword === "pattern" && typeof value === "string" && !describes(value)) ||
  (keyword === "examples" && describes(pattern)) ||
  (keyword === "format" && (value === "int64" || value === "double")) ||
  (keyword === "maximum" && typeof value === "number" && value >= 2 ** 31 - 1) ||
  (keyword === "minLength" && value === 1) ||
  (keyword === "examples" && Array.isArray(value) && isOpaque(value[0]));

const describes = (pattern: unknown): boolean => typeof pattern === "string" && !pattern.includes("\\x");

/** Whether an example is a number, or has an id in it. */
const isOpaque = (example: unknown): boolean =>
  typeof example === "number" || (typeof example === "string" && /[0-9A-Z]{26}/.test(example));

/** Whether a description only repeats the name of its field. */
const repeatsName = (name: string, description: unknown): boolean =>
  typeof description === "string" && [`${name}.`, `${name} slug.`].includes(description.toLowerCase());

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
    JSON.stringify(schema, function (this: JsonSchema, keyword, value) {
      return isObvious(keyword, value, this) ? undefined : value;
    }),
  ) as JsonSchema;
  const fields = Object.entries(shown.properties as Record<string, JsonSchema>).map(([name, described]) => {
    const field = oneValue(described);
    if (repeatsName(name, field.description)) delete field.description;
    const types = [field.type].flat().filter((type) => type !== "null");
    return [name, { ...field, type: types.length === 1 ? types[0] : types }];
  });
  return { ...shown, type: "object", properties: Object.fromEntries(fields) };
}

/**
 * Whether `tools/list` includes the output schema. Every session pays for the length of `tools/list`, so it
 * does only where programs read the output.
 */
const hasOutputSchema = ({ text, structured, receipt }: ToolBinding): boolean =>
  !receipt && (!text || structured === true);

/**
 * As in `clientInfo.name` and in the User-Agent header. Seen with Claude Code 2.1.332, Codex 0.171.0, and
 * Copilot CLI 1.0.102, which appends it to the text.
 */
const textClients: ReadonlySet<string> = new Set(["claude-code", "codex-mcp-client", "copilot-cli"]);

/**
 * Some agents hand structured content to the model in place of the text and the images of a result, or after
 * them. Their models would read text of others without its data tags, and see no image, so these clients get
 * neither structured content nor output schemas. @param client the name of a client, or its User-Agent header
 */
export const takesStructuredContent = (client: string | null | undefined): boolean =>
  !textClients.has((client ?? "").split("/", 1)[0] as string);

type Members = Record<string, unknown> | undefined;

/**
 * The name that a message gives its client: the first one of a connection, and each one of revision
 * 2026-07-28. @param message any JSON value
 */
export function clientNameOf(message: unknown): string | undefined {
  const params = (message as Members)?.params as Members;
  const meta = params?._meta as Members;
  const { name } = ((params?.clientInfo ?? meta?.[CLIENT_INFO_META_KEY]) as Members) ?? {};
  return typeof name === "string" ? name : undefined;
}
