/** The table of operations and the shapes of its answers, in Markdown. */
import type { TSchema } from "@sinclair/typebox";
import { publicScopes } from "../auth/scopes.ts";
import type { DescriptionContext } from "../context.ts";
import { marked, noticeOf, retiring } from "../deprecation.ts";
import { kinds, reportableKinds } from "../feed/schema.ts";
import { paths } from "../info.ts";
import { type JsonSchema, toJsonSchema } from "../lib/json-schema.ts";
import { bodyExampleOf, exampleOf } from "../operations/example.ts";
import { bodyFields, type HttpOperation, type Place, placeOf, problemsOf } from "../operations/facts.ts";
import { listedOperations } from "../operations/index.ts";
import { tags } from "../operations/operation.ts";
import { ProblemDocument } from "../problem.ts";
import { table } from "./table.ts";

export const operationsText = (site: DescriptionContext): string =>
  [...Map.groupBy(listedOperations(site), (op) => op.tag)]
    .map(([tag, ops]) =>
      [
        `## ${tag.replace(/^./, (letter) => letter.toUpperCase())} {#${tag}}`,
        tags[tag],
        ...ops.map((op) => describe(op, site)),
      ].join("\n\n"),
    )
    .join("\n\n");

/** Every shape with a name that an answer holds. */
export function shapesText(site: DescriptionContext): string {
  const shapes = new Map<string, JsonSchema>();
  const refer = (name: string, describe: () => JsonSchema): JsonSchema => {
    if (!shapes.has(name)) {
      shapes.set(name, {});
      shapes.set(name, marked(site, name, describe()));
    }
    return { $ref: name };
  };
  for (const schema of [...listedOperations(site).flatMap((op) => [op.input, op.output]), ProblemDocument])
    toJsonSchema(schema, site.config, refer);
  return [...shapes]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, shape]) =>
      [
        `### ${name} {#${name}}`,
        ...(shape.description ? [String(shape.description)] : []),
        fieldsTable(shape),
      ].join("\n\n"),
    )
    .join("\n\n");
}

function describe(op: HttpOperation, site: DescriptionContext): string {
  const { http, scope } = op;
  const retires = retiring(site, "operation", op.id);
  const open = scope === "public" || (site.config.publicRead && publicScopes.has(scope));
  const needs =
    scope === "public"
      ? "Always public."
      : `Scope \`${scope}\`${open ? ", or none: public read is on here" : ""}.`;
  const problems = problemsOf(op, {
    open,
    limited: site.config.rateLimit !== null,
    retires: retires !== null,
  });
  const input = marked(site, op.id, toJsonSchema(op.input, site.config, byName));
  const answer = typeOf(toJsonSchema(op.output, site.config, byName));
  return [
    `### ${http.method} ${http.path} {#${op.id}}`,
    `**${op.summary}.** ${op.description}`,
    `${needs} ${op.stable ? "[Stable](/docs/versioning)." : "Pre-release."}${retires ? ` ${noticeOf(retires)}` : ""}`,
    ...(Object.keys(op.input.properties).length > 0 ? [fieldsTable(input, op)] : []),
    `Answers ${http.status ?? 200} with ${http.stream ? "a stream of " : ""}${answer}${http.revalidates ? ", or 304 where `If-None-Match` still is its `ETag`" : ""}; else ${problems.map((status) => `[${status}](#error-${status})`).join(", ")}.`,
    ...exampleOfCall(op, site),
  ].join("\n\n");
}

/** As much of an answer is shown. */
const linesMax = 40;

function exampleOfCall(op: HttpOperation, { config }: DescriptionContext): string[] {
  const { method, path, media, stream } = op.http;
  const fields = (place: Place) =>
    Object.entries(op.input.properties as Record<string, TSchema>).filter(
      ([name]) => placeOf(op, name) === place,
    );
  const shown = (field: TSchema): string => String(exampleOf(toJsonSchema(field, config), config));
  const address = fields("path").reduce(
    (text, [name, field]) => text.replace(`{${name}}`, shown(field)),
    path,
  );
  const lines: string[][] = [];
  lines.push([
    stream ? "curl -N" : "curl",
    ...(method !== "GET" && bodyFields(op).length === 0
      ? [`-X ${method}`]
      : method === "PUT"
        ? ["-X PUT"]
        : []),
    ...(op.scope === "public" ? [] : ['-H "Authorization: Bearer $SVC_TOKEN"']),
    config.siteUrl + paths.api + address,
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
      [`-d '${JSON.stringify(bodyExampleOf(body, config)).replaceAll("'", "'\\''")}'`],
    );
  }
  const answer = JSON.stringify(exampleOf(toJsonSchema(op.output, config), config), null, 2);
  const fits = !stream && answer.split("\n").length <= linesMax;
  return [
    `\`\`\`bash\n${lines.map((words) => words.join(" ")).join(" \\\n  ")}\n\`\`\``,
    ...(fits ? [`\`\`\`json\n${answer}\n\`\`\``] : []),
  ];
}

const byName = (name: string): JsonSchema => ({ $ref: name });

/** @param op whose input it is; a field then says where it goes, unless that is the usual place */
function fieldsTable(shape: JsonSchema, op?: HttpOperation): string {
  const required = new Set(shape.required as string[] | undefined);
  const fields = Object.entries((shape.properties ?? {}) as Record<string, JsonSchema>);
  return table(
    ["Field", "Type", "Meaning"],
    fields.map(([name, field]) => [
      `\`${op?.http.headers?.[name] ?? name}\`${required.has(name) ? " (required)" : ""}`,
      typeOf(field) +
        (op && ["path", "header"].includes(placeOf(op, name)) ? `, in the ${placeOf(op, name)}` : ""),
      String(field.description ?? describedIn(field) ?? ""),
    ]),
  );
}

const describedIn = (field: JsonSchema): unknown =>
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
  const whole = types.map((type) => oneType(type, schema)).join(" or ");
  return schema.default === undefined ? whole : `${whole}, default ${JSON.stringify(schema.default)}`;
}

function oneType(type: string, schema: JsonSchema): string {
  if (type === "array")
    return `list of ${typeOf((schema.items ?? {}) as TSchema)}${sizeOf(schema.minItems, schema.maxItems)}`;
  if (type === "integer" || type === "number") return type + sizeOf(schema.minimum, schema.maximum);
  return type === "string" && schema.format ? String(schema.format) : type;
}

const sizeOf = (least: unknown, most: unknown): string =>
  most === undefined ? (least === undefined ? "" : `, at least ${least}`) : `, ${least ?? 0} to ${most}`;
