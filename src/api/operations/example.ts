/** Examples generated from a schema and the examples of its fields. */
import type { Config } from "../../core/config.ts";
import { paths } from "../../core/info.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";

/** Returns an example of a response, with every field that has one. @param schema without `$ref`s */
export const responseExample = (schema: JsonSchema, config: Pick<Config, "siteUrl">): unknown =>
  example(schema, config, (name, { required = [], properties = {} }) => {
    const { pattern, examples } = properties[name] as ExampleSource;
    return required.includes(name) || pattern === undefined || examples !== undefined;
  });

/** Returns an example of a request body: the required fields and those with an example of their own. */
export const requestExample = (schema: JsonSchema, config: Pick<Config, "siteUrl">): unknown =>
  example(
    schema,
    config,
    (name, { required = [], properties = {} }) =>
      required.includes(name) || Boolean((properties[name] as ExampleSource).examples),
  );

function example(
  schema: ExampleSource,
  config: Pick<Config, "siteUrl">,
  isIncluded: (name: string, parent: ExampleSource) => boolean,
): unknown {
  const {
    examples,
    const: constant,
    enum: choices,
    default: defaultValue,
    anyOf,
    format,
    properties,
    items,
    additionalProperties,
  } = schema;
  const exampleOf = (part: ExampleSource) => example(part, config, isIncluded);
  const literal = examples?.[0] ?? constant ?? (choices ?? schema["x-extensible-enum"])?.[0] ?? defaultValue;
  if (literal !== undefined) return literal;
  if (anyOf) return exampleOf(anyOf[0] as ExampleSource);
  if (properties) {
    const included = Object.entries(properties).filter(([name]) => isIncluded(name, schema));
    return Object.fromEntries(included.map(([name, field]) => [name, exampleOf(field)]));
  }
  if (items) return [exampleOf(items)];
  if (additionalProperties) return { name: exampleOf(additionalProperties) };
  if (format && typeOf(schema) === "string") return formatExamples(config)[format];
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
interface ExampleSource {
  type?: string | string[];
  minimum?: number;
  pattern?: string;
  examples?: unknown[];
  const?: unknown;
  enum?: unknown[];
  "x-extensible-enum"?: unknown[];
  default?: unknown;
  anyOf?: ExampleSource[];
  format?: string;
  properties?: Record<string, ExampleSource>;
  required?: string[];
  items?: ExampleSource;
  additionalProperties?: ExampleSource;
}

const formatExamples = ({ siteUrl }: Pick<Config, "siteUrl">): Record<string, string> => ({
  "date-time": "2026-01-02T03:04:05.123456Z",
  date: "2026-01-02",
  uri: siteUrl + paths.docs,
});

const typeOf = ({ type }: ExampleSource): unknown => (Array.isArray(type) ? type[0] : type);
