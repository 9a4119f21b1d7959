/** Converts TypeBox schemas to the JSON Schema 2020-12 of the OpenAPI document and MCP tools. */
import type { TSchema } from "@sinclair/typebox";

/** The configured lanes, which a schema does not know. */
interface Lanes {
  lanes: readonly string[];
}

export type JsonSchema = Record<string, unknown>;

/** Returns what to emit for a schema with a name (`$id`): a `$ref`, or the described schema inline. */
export type Refer = (name: string, describe: () => JsonSchema) => JsonSchema;

/** Inlines every schema, so that the result has no references. */
const inline: Refer = (_, describe) => describe();

/** The JSON Schema of a TypeBox schema, with the configured lanes filled in. */
export function toJsonSchema(schema: TSchema, config: Lanes, refer: Refer = inline): JsonSchema {
  const { $id, ...rest } = JSON.parse(JSON.stringify(schema)) as TSchema;
  return $id ? refer($id, () => plain(schema, rest, config, refer)) : plain(schema, rest, config, refer);
}

/** The names and types of the fields of an object, without what is in them. */
export function outlineOf({ type, properties }: JsonSchema): JsonSchema {
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  return { type, properties: Object.fromEntries(fields.map(([name, field]) => [name, typeOf(field)])) };
}

/** What a field holds, if it is of one type. */
const typeOf = ({ type, anyOf }: JsonSchema): JsonSchema =>
  type ? { type } : { anyOf: (anyOf as JsonSchema[]).map(typeOf) };

function plain(schema: TSchema, rest: JsonSchema, config: Lanes, refer: Refer): JsonSchema {
  const inner = (child: TSchema) => toJsonSchema(child, config, refer);
  const { "x-configured": configured, ...lane } = rest;
  if (configured === "known lanes") return { ...lane, "x-extensible-enum": config.lanes };
  if (configured === "lanes") {
    const { maxLength: _, minLength: __, pattern: ___, ...closed } = lane;
    return { ...closed, enum: config.lanes };
  }
  if (schema.anyOf) {
    const { anyOf: _, ...outer } = rest;
    const [first, ...alternatives] = (schema.anyOf as TSchema[]).filter((part) => part.type !== "null");
    const part = inner(first as TSchema);
    // A nullable simple type is shorter as a list of types than as `anyOf`.
    if (alternatives.length === 0 && typeof part.type === "string" && !part.enum)
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
