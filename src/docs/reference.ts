/** The table of operations and the shapes of its answers, in Markdown. */
import type { TSchema } from "@sinclair/typebox";
import { publicScopes } from "../auth/scopes.ts";
import type { Describing } from "../context.ts";
import { marked } from "../deprecation.ts";
import { kinds } from "../feed/schema.ts";
import { type JsonSchema, toJsonSchema } from "../json-schema.ts";
import { listedOperations } from "../operations/index.ts";
import { type HttpFacts, type Operation, tags } from "../operations/operation.ts";
import { ProblemDocument } from "../problem.ts";
import { table } from "./table.ts";

type HttpOperation = Operation & { http: HttpFacts };

export const operationsText = (site: Describing): string =>
  [...Map.groupBy(listedOperations(site), (op) => op.tag)]
    .map(([tag, ops]) =>
      [`## ${tag.replace(/^./, (letter) => letter.toUpperCase())} {#${tag}}`, tags[tag], ...ops.map((op) => describe(op, site))].join(
        "\n\n",
      ),
    )
    .join("\n\n");

/** Every shape with a name that an answer holds. */
export function shapesText(site: Describing): string {
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
      [`### ${name} {#${name}}`, ...(shape.description ? [String(shape.description)] : []), fieldsTable(shape)].join("\n\n"),
    )
    .join("\n\n");
}

function describe(op: HttpOperation, site: Describing): string {
  const { config } = site;
  const { http, scope } = op;
  const open = config.publicRead && scope !== "public" && publicScopes.has(scope);
  const input = marked(site, op.id, toJsonSchema(op.input, config, byName)) as JsonSchema & { properties: Record<string, JsonSchema> };
  const names = Object.fromEntries(Object.entries(http.headers ?? {}));
  const problems = [...new Set([...(http.errors ?? []), ...(op.writes ? [413, 415, 501] : [])])].sort();
  return [
    `### ${http.method} ${http.path} {#${op.id}}`,
    `${op.summary}. ${op.description}`,
    scope === "public" ? "Always public." : `Scope \`${scope}\`${open ? ", or none: public read is on here" : ""}.`,
    ...(Object.keys(input.properties).length > 0 ? [fieldsTable(input, names)] : []),
    `Answers ${http.status ?? 200} with ${http.stream ? "a stream of " : ""}${typeOf(toJsonSchema(op.output, config, byName))}${problems.length > 0 ? `; beside the errors of every operation, ${problems.join(", ")}` : ""}.`,
  ].join("\n\n");
}

const byName = (name: string): JsonSchema => ({ $ref: name });

function fieldsTable(shape: JsonSchema, names: Record<string, string> = {}): string {
  const required = new Set(shape.required as string[] | undefined);
  const fields = Object.entries((shape.properties ?? {}) as Record<string, JsonSchema>);
  return table(
    ["Field", "Type", "Meaning"],
    fields.map(([name, field]) => [
      `\`${names[name] ?? name}\`${required.has(name) ? " (required)" : ""}`,
      typeOf(field),
      String(field.description ?? describedIn(field) ?? ""),
    ]),
  );
}

const describedIn = (field: JsonSchema): unknown =>
  (field.anyOf as JsonSchema[] | undefined)?.find((part) => part.description)?.description;

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return `[${schema.$ref}](#${schema.$ref})`;
  if (schema.enum && String(schema.enum) === String(kinds)) return "a [kind](/docs/concepts#event-kinds)";
  if (schema.enum) return (schema.enum as unknown[]).map((word) => `\`${word}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf) return [...new Set((schema.anyOf as JsonSchema[]).map(typeOf))].join(" or ");
  const types = [schema.type ?? "value"].flat() as string[];
  const whole = types.map((type) => oneType(type, schema)).join(" or ");
  return schema.default === undefined ? whole : `${whole}, default ${JSON.stringify(schema.default)}`;
}

function oneType(type: string, schema: JsonSchema): string {
  if (type === "array") return `list of ${typeOf((schema.items ?? {}) as TSchema)}${sizeOf(schema.minItems, schema.maxItems)}`;
  if (type === "integer" || type === "number") return type + sizeOf(schema.minimum, schema.maximum);
  return type === "string" && schema.format ? String(schema.format) : type;
}

const sizeOf = (least: unknown, most: unknown): string =>
  most === undefined ? (least === undefined ? "" : `, at least ${least}`) : `, ${least ?? 0} to ${most}`;
