/** The API reference in Markdown: operations and schemas. */
import type { TSchema } from "@sinclair/typebox";
import { publicScopes } from "../../core/auth/scopes.ts";
import type { DescriptionContext } from "../../core/context.ts";
import { deprecationNotice, findDeprecation, markDeprecatedFields } from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import { type JsonSchema, toJsonSchema } from "../../core/lib/json-schema.ts";
import { tags } from "../../core/operation.ts";
import { ProblemDocument } from "../../core/problem.ts";
import { kinds, reportableKinds } from "../../feed/kinds.ts";
import { requestExample, responseExample } from "../operations/example.ts";
import {
  bodyFields,
  describeAccess,
  errorStatuses,
  type FieldLocation,
  fieldLocation,
  type HttpOperation,
  wireName,
} from "../operations/http-operation.ts";
import { documentedOperations } from "../operations/index.ts";

export const operationsText = (site: DescriptionContext): string =>
  [...Map.groupBy(documentedOperations(site), (op) => op.tag)]
    .map(([tag, ops]) =>
      [
        `## ${tag.replace(/^./, (letter) => letter.toUpperCase())} {#${tag}}`,
        tags[tag],
        ...ops.map((op) => describeOperation(op, site)),
      ].join("\n\n"),
    )
    .join("\n\n");

/** Documents every named schema of a request or response. */
export function shapesText(site: DescriptionContext): string {
  const shapes = new Map<string, JsonSchema>();
  const addShape = (name: string, describe: () => JsonSchema): JsonSchema => {
    if (!shapes.has(name)) {
      shapes.set(name, {});
      shapes.set(name, markDeprecatedFields(site, name, describe()));
    }
    return { $ref: name };
  };
  for (const schema of [
    ...documentedOperations(site).flatMap((op) => [op.input, op.output]),
    ProblemDocument,
  ])
    toJsonSchema(schema, site.config, addShape);
  return [...shapes]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([name, shape]) =>
      [
        `### ${name} {#${name}}`,
        ...(shape.description ? [String(shape.description)] : []),
        fieldsTable(shape),
      ].join("\n\n"),
    )
    .join("\n\n");
}

function describeOperation(op: HttpOperation, site: DescriptionContext): string {
  const { http, scope } = op;
  const deprecation = findDeprecation(site, "operation", op.id);
  const isPublic = scope === "public" || (site.config.publicRead && publicScopes.has(scope));
  const access = describeAccess(op, isPublic);
  const errors = errorStatuses(op, {
    isPublic,
    isRateLimited: site.config.rateLimit !== null,
    isDeprecated: deprecation !== null,
  });
  const input = markDeprecatedFields(site, op.id, toJsonSchema(op.input, site.config, toRef));
  const responseType = typeOf(toJsonSchema(op.output, site.config, toRef));
  const stability = op.stable ? "[Stable](/docs/versioning)." : "Pre-release.";
  const revalidation = http.revalidates ? ", or 304 if `If-None-Match` matches its `ETag`" : "";
  const errorList = errors.map((status) => `[${status}](#error-${status})`).join(", ");
  return [
    `### ${http.method} ${http.path} {#${op.id}}`,
    `**${op.summary}.** ${op.description}`,
    `${access} ${stability}${deprecation ? ` ${deprecationNotice(deprecation)}` : ""}`,
    ...(Object.keys(op.input.properties).length > 0 ? [fieldsTable(input, op)] : []),
    `Returns ${http.status ?? 200} with ${http.stream ? "a stream of " : ""}${responseType}` +
      `${revalidation}. Errors: ${errorList}.`,
    ...describeExample(op, site),
  ].join("\n\n");
}

/** Longer example responses are omitted. */
const linesMax = 20;

function describeExample(op: HttpOperation, { config }: DescriptionContext): string[] {
  const { method, path, media, stream } = op.http;
  const fields = (place: FieldLocation) =>
    Object.entries(op.input.properties as Record<string, TSchema>).filter(
      ([name]) => fieldLocation(op, name) === place,
    );
  const exampleValue = (field: TSchema): string =>
    String(responseExample(toJsonSchema(field, config), config));
  const required = fields("query").filter(([name]) => op.input.required?.includes(name));
  const query = required.map(([name, field]) => `${name}=${encodeURIComponent(exampleValue(field))}`);
  const urlPath = fields("path").reduce(
    (text, [name, field]) => text.replace(`{${wireName(op, name)}}`, exampleValue(field)),
    path,
  );
  const url = config.siteUrl + paths.api + urlPath;
  const lines: string[][] = [];
  lines.push([
    stream ? "curl -N" : "curl",
    ...(method !== "GET" && bodyFields(op).length === 0
      ? [`-X ${method}`]
      : method === "PUT"
        ? ["-X PUT"]
        : []),
    ...(op.scope === "public" && !op.token ? [] : ['-H "Authorization: Bearer $SVC_TOKEN"']),
    query.length > 0 ? `"${url}?${query.join("&")}"` : url,
  ]);
  if (media === "multipart/form-data") lines.push(["-F file=@shot.png", "-F project=atlas"]);
  else if (bodyFields(op).length > 0) {
    const body = {
      type: "object",
      properties: Object.fromEntries(
        fields("body").map(([name, field]) => [name, toJsonSchema(field, config)]),
      ),
      required: op.input.required ?? [],
    };
    lines.push(
      ['-H "Content-Type: application/json"'],
      [`-d '${JSON.stringify(requestExample(body, config)).replaceAll("'", "'\\''")}'`],
    );
  }
  const answer = JSON.stringify(responseExample(toJsonSchema(op.output, config), config), null, 2);
  const fits = !stream && answer.split("\n").length <= linesMax;
  return [
    `\`\`\`bash\n${lines.map((words) => words.join(" ")).join(" \\\n  ")}\n\`\`\``,
    ...(fits ? [`\`\`\`json\n${answer}\n\`\`\``] : []),
  ];
}

const toRef = (name: string): JsonSchema => ({ $ref: name });

/** @param op the operation whose input this is, to say which fields go in the path or a header */
function fieldsTable(shape: JsonSchema, op?: HttpOperation): string {
  const required = new Set(shape.required as string[] | undefined);
  const fields = Object.entries((shape.properties ?? {}) as Record<string, JsonSchema>);
  return table(
    ["Field", "Type", "Meaning"],
    fields.map(([name, field]) => [
      `\`${op ? wireName(op, name) : name}\`${required.has(name) ? " (required)" : ""}`,
      typeOf(field) +
        (op && ["path", "header"].includes(fieldLocation(op, name))
          ? `, in the ${fieldLocation(op, name)}`
          : ""),
      String(field.description ?? nestedDescription(field) ?? ""),
    ]),
  );
}

const nestedDescription = (field: JsonSchema): unknown =>
  (field.anyOf as JsonSchema[] | undefined)?.find((part) => part.description)?.description;

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return `[${schema.$ref}](#${schema.$ref})`;
  const words = schema.enum ?? schema["x-extensible-enum"];
  if (words && [kinds, reportableKinds].some((list) => String(words) === String(list)))
    return "a [kind](/docs/concepts#event-kinds)";
  if (schema.enum) return (schema.enum as unknown[]).map((word) => `\`${word}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf) return [...new Set((schema.anyOf as JsonSchema[]).map(typeOf))].join(" or ");
  const types = [schema.type ?? "value"].flat() as string[];
  const text = types.map((type) => typeName(type, schema)).join(" or ");
  return schema.default === undefined ? text : `${text}, default ${JSON.stringify(schema.default)}`;
}

function typeName(type: string, schema: JsonSchema): string {
  if (type === "array")
    return `list of ${typeOf((schema.items ?? {}) as TSchema)}${rangeText(schema.minItems, schema.maxItems)}`;
  if (type === "integer" || type === "number") return type + rangeText(schema.minimum, schema.maximum);
  return type === "string" && schema.format ? String(schema.format) : type;
}

const rangeText = (least: unknown, most: unknown): string =>
  most === undefined ? (least === undefined ? "" : `, at least ${least}`) : `, ${least ?? 0} to ${most}`;

/** Renders a Markdown table. Pipes in cells are escaped, even in code. */
export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows]
    .map(
      (cells) =>
        `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, "\\|").replaceAll("\n", " ")).join(" | ")} |`,
    )
    .join("\n");
