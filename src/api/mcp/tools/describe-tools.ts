/**
 * Describes operations as MCP tools, for `tools/list`. Every session pays for the length of the list, so it
 * says each thing once, and only what a model or a program acts on: calls check everything else.
 */

import { CLIENT_INFO_META_KEY, type Tool } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { DescriptionContext } from "../../../core/context.ts";
import { deprecationNotice, findDeprecation, markDeprecatedFields } from "../../../core/deprecation.ts";
import { type JsonSchema, outlineOf, toJsonSchema } from "../../../core/lib/json-schema.ts";
import type { ToolBinding } from "../../../core/operation.ts";
import { documentedTools } from "../../operations/index.ts";
import { reviewCardMeta } from "../review-card/review-card.ts";
import type { ToolOperation } from "./tools.ts";

/**
 * Describes every tool for `tools/list`, the same for all callers: scopes are checked by the call.
 * @param isStructured whether the client takes structured content
 */
export function describeTools(site: DescriptionContext, isStructured: boolean): Tool[] {
  const described = new Set<string>();
  return documentedTools(site).map((op) => describeTool(site, op, isStructured, described));
}

/** @param described the fields of the tools before it, with their documentation */
function describeTool(
  site: DescriptionContext,
  { tool, description, scope, writes, input, output }: ToolOperation,
  isStructured: boolean,
  described: Set<string>,
): Tool {
  const deprecation = findDeprecation(site, "tool", tool.name);
  const sentences = [
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
    inputSchema: toInputSchema(markDeprecatedFields(site, tool.name, schema(input)), tool, described),
    ...(isStructured &&
      tool.forPrograms && { outputSchema: outlineOf(schema(output)) as Tool["outputSchema"] }),
    annotations: {
      readOnlyHint: !writes,
      // The others say something of a tool that writes.
      ...(writes && {
        destructiveHint: tool.destructive ?? false,
        idempotentHint: tool.idempotent ?? false,
      }),
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

/** Whether a call checks it, with an error that says what is allowed: limits, reserved words, formats of numbers. */
const isChecked = (keyword: string, value: unknown): boolean =>
  (/^(pattern|minimum|maximum|(min|max)(Length|Items))$/.test(keyword) && typeof value !== "object") ||
  (keyword === "not" && typeof value === "object") ||
  (keyword === "format" && (value === "int64" || value === "double"));

const withoutChecked = (schema: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (keyword, value) => (isChecked(keyword, value) ? undefined : value)),
  ) as JsonSchema;

/** Keywords that a model has read if a tool before this one has a field of the same name with the same ones. */
const documentation = ["description", "examples", "enum"] as const;

/** Whether a description only repeats the name of its field, as "Review status." does. */
const repeatsName = (name: string, description: unknown): boolean =>
  typeof description === "string" &&
  description.split(" ").length <= 3 &&
  description
    .toLowerCase()
    .match(/[a-z ]+/)?.[0]
    .includes(name.replaceAll("_", " ")) === true;

/** Whether an example shows what a description already says: it is a number, or has an id or a hash in it. */
const isOpaque = (example: unknown): boolean =>
  typeof example === "number" || (typeof example === "string" && /[0-9A-Z]{26}|[0-9a-f]{64}/.test(example));

/** Describes a field that is one value or a list by its one value, which the list would repeat. */
const oneValue = ({ anyOf, ...field }: JsonSchema): JsonSchema => {
  const options = anyOf as JsonSchema[] | undefined;
  if (options?.[1]?.type === "array") return { ...options[0], ...field };
  return options ? { ...field, anyOf } : field;
};

/**
 * Omits `null` from types, too: null arguments count as absent, and some clients cannot handle a list of
 * types.
 */
function toInputSchema(
  schema: JsonSchema,
  { unlistedFields = [] }: ToolBinding,
  described: Set<string>,
): Tool["inputSchema"] {
  const listed = Object.entries(schema.properties as Record<string, JsonSchema>).filter(
    ([name]) => !unlistedFields.includes(name),
  );
  const fields = listed.map(([name, whole]) => {
    const field = withoutChecked(oneValue(whole));
    const types = [field.type].flat().filter((type) => type !== "null");
    if (repeatsName(name, field.description)) delete field.description;
    const [example] = (field.examples as unknown[] | undefined) ?? [];
    if (!field.description || isOpaque(example)) delete field.examples;
    const text = JSON.stringify([name, ...documentation.map((keyword) => field[keyword])]);
    if (described.has(text)) for (const keyword of documentation) delete field[keyword];
    described.add(text);
    return [name, { ...field, type: types.length === 1 ? types[0] : types }];
  });
  return { ...schema, type: "object", properties: Object.fromEntries(fields) };
}

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
