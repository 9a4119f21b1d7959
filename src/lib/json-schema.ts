/** TypeBox schemas as the plain JSON Schema 2020-12 that documents and tools show. */
import type { TSchema } from "@sinclair/typebox";
import type { Config } from "../config.ts";

export type JsonSchema = Record<string, unknown>;

/** What stands where a schema with a name (`$id`) is used: a reference, or what it describes. */
export type Refer = (name: string, describe: () => JsonSchema) => JsonSchema;

/** Every schema whole in its place: it needs nothing beside itself. */
const inPlace: Refer = (_, describe) => describe();

export function toJsonSchema(
  schema: TSchema,
  config: Pick<Config, "lanes">,
  refer: Refer = inPlace,
): JsonSchema {
  const { $id, ...rest } = JSON.parse(JSON.stringify(schema)) as TSchema;
  return $id ? refer($id, () => plain(schema, rest, config, refer)) : plain(schema, rest, config, refer);
}

/** What describes a value, or bounds it, but is not its shape. */
const details: ReadonlySet<string> = new Set([
  ...[
    "description",
    "examples",
    "default",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
  ],
]);

/** The shape alone: names, types, formats and choices. */
export function shapeOf(schema: JsonSchema): JsonSchema {
  const inner = (name: string, part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    if (name === "properties")
      return Object.fromEntries(Object.entries(part).map(([field, one]) => [field, shapeOf(one)]));
    if (name === "anyOf") return (part as JsonSchema[]).map(shapeOf);
    return name === "items" || name === "additionalProperties" ? shapeOf(part as JsonSchema) : part;
  };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !details.has(name))
      .map(([name, part]) => [name, inner(name, part)]),
  );
}

function plain(schema: TSchema, rest: JsonSchema, config: Pick<Config, "lanes">, refer: Refer): JsonSchema {
  const inner = (one: TSchema) => toJsonSchema(one, config, refer);
  const { "x-configured": configured, ...lane } = rest;
  if (configured === "known lanes") return { ...lane, "x-extensible-enum": config.lanes };
  if (configured === "lanes") {
    const { maxLength: _, minLength: __, pattern: ___, ...closed } = lane;
    return { ...closed, enum: config.lanes };
  }
  if (schema.anyOf) {
    const { anyOf: _, ...outer } = rest;
    const [one, ...others] = (schema.anyOf as TSchema[]).filter((part) => part.type !== "null");
    const part = inner(one as TSchema);
    // `anyOf` with null is a list of types where that says the same.
    if (others.length === 0 && typeof part.type === "string" && !part.enum)
      return { ...part, ...outer, type: [part.type, "null"] };
    return { ...outer, anyOf: (schema.anyOf as TSchema[]).map(inner) };
  }
  if (schema.properties)
    rest.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, inner(field as TSchema)]),
    );
  if (schema.items) rest.items = inner(schema.items as TSchema);
  if (rest.patternProperties) {
    rest.additionalProperties = inner(
      Object.values(schema.patternProperties as Record<string, TSchema>)[0] as TSchema,
    );
    delete rest.patternProperties;
  }
  if (rest.format === "https-uri") rest.format = "uri";
  return rest;
}
