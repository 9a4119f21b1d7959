/** Examples generated from a schema and the examples of its fields. */
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import type { JsonSchema } from "../lib/json-schema.ts";

/** Returns an example of a response, with every field that has one. @param schema without `$ref`s */
export const exampleOf = (schema: JsonSchema, config: Pick<Config, "siteUrl">): unknown =>
  example(schema, config, (name, { required = [], properties = {} }) => {
    const { pattern, examples } = properties[name] as Described;
    return required.includes(name) || pattern === undefined || examples !== undefined;
  });

/** Returns an example of a request body: the required fields and those with an example of their own. */
export const bodyExampleOf = (schema: JsonSchema, config: Pick<Config, "siteUrl">): unknown =>
  example(
    schema,
    config,
    (name, { required = [], properties = {} }) =>
      required.includes(name) || Boolean((properties[name] as Described).examples),
  );

function example(
  schema: Described,
  config: Pick<Config, "siteUrl">,
  shows: (name: string, of: Described) => boolean,
): unknown {
  const {
    examples,
    const: only,
    enum: choices,
    default: byDefault,
    anyOf,
    format,
    properties,
    items,
    additionalProperties,
  } = schema;
  const inner = (one: Described) => example(one, config, shows);
  const given = examples?.[0] ?? only ?? (choices ?? schema["x-extensible-enum"])?.[0] ?? byDefault;
  if (given !== undefined) return given;
  if (anyOf) return inner(anyOf[0] as Described);
  if (properties) {
    const shown = Object.entries(properties).filter(([name]) => shows(name, schema));
    return Object.fromEntries(shown.map(([name, field]) => [name, inner(field)]));
  }
  if (items) return [inner(items)];
  if (additionalProperties) return { name: inner(additionalProperties) };
  if (format && typeOf(schema) === "string") return formats(config)[format];
  switch (typeOf(schema)) {
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return true;
    case "string":
      return "text";
    default:
      return {};
  }
}

/** The schema keywords that an example is made from. */
interface Described {
  type?: string | string[];
  minimum?: number;
  pattern?: string;
  examples?: unknown[];
  const?: unknown;
  enum?: unknown[];
  "x-extensible-enum"?: unknown[];
  default?: unknown;
  anyOf?: Described[];
  format?: string;
  properties?: Record<string, Described>;
  required?: string[];
  items?: Described;
  additionalProperties?: Described;
}

const formats = ({ siteUrl }: Pick<Config, "siteUrl">): Record<string, string> => ({
  "date-time": "2026-01-02T03:04:05.123456Z",
  date: "2026-01-02",
  uri: siteUrl + paths.docs,
});

const typeOf = ({ type }: Described): unknown => (Array.isArray(type) ? type[0] : type);
