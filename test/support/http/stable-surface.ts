/**
 * What the versioning policy promises to keep, as facts: of each stable operation its parameters, statuses
 * and fields, of each stable tool its schemas, of each stable file its type and shape, and the kinds of
 * events. One fact is one line.
 */

import type { ToolOperation } from "../../../src/api/mcp/tools/tools.ts";
import { documentedOperations, documentedTools } from "../../../src/api/operations/index.ts";
import { paths } from "../../../src/core/info.ts";
import { toJsonSchema } from "../../../src/core/lib/json-schema.ts";
import { kinds } from "../../../src/feed/kinds.ts";
import type { TestApp } from "../harness.ts";

export interface Fact {
  /** `operation getFeed`, `tool svc_get_feed`, `file /llms.txt`, `kind run.started`, `api`. */
  of: string;
  /** Whether it is about the thing itself, about what it takes, or about what it gives. */
  side: "is" | "in" | "out";
  /** Of a field or a parameter; a list is `[]`, a map `{}`. */
  field: string;
  traits: Record<string, string>;
}

export const toLine = ({ of, side, field, traits }: Fact): string =>
  [of, side, field, ...Object.entries(traits).map(([name, value]) => `${name}=${value}`)].join(" | ");

export function fromLine(line: string): Fact {
  const [of = "", side, field = "", ...traits] = line.split(" | ");
  const split = traits.map(
    (one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const,
  );
  return { of, side: side as Fact["side"], field, traits: Object.fromEntries(split) };
}

type Schema = Record<string, unknown>;
type Described = Record<string, { get?: Operation }>;
interface Operation {
  operationId: string;
  security: Schema[];
  "x-required-scopes"?: string[];
  parameters: { name: string; in: string; required: boolean; explode?: boolean; schema: Schema }[];
  responses: Record<
    string,
    { $ref?: string; headers?: Schema; content?: Record<string, { schema: Schema }> }
  >;
}

const stableFiles = [
  ...[paths.openapi, paths.llms, paths.llmsFull, paths.aiCatalog, paths.apiCatalog, paths.serverCard],
  ...[paths.skills, paths.protectedResource, paths.serverJson],
];

export async function stableSurface(app: TestApp): Promise<Fact[]> {
  const document = await (await app.ask(paths.openapi)).json();
  return [
    { of: "api", side: "is", field: "", traits: { base: new URL(document.servers[0].url).pathname } },
    ...documentedOperations(app.ctx)
      .filter((op) => op.stable)
      .flatMap(({ http }) => ofOperation(http.path, document)),
    ...documentedTools(app.ctx)
      .filter((op) => op.stable)
      .flatMap((op) => ofTool(app, op)),
    ...kinds.map((kind): Fact => ({ of: `kind ${kind}`, side: "is", field: "", traits: {} })),
    ...(await Promise.all(stableFiles.map((path) => ofFile(app, path)))).flat(),
  ];
}

/** Every stable operation is a GET. */
function ofOperation(path: string, document: { paths: Described; components: Schema }): Fact[] {
  const get = document.paths[path]?.get as Operation;
  const of = `operation ${get.operationId}`;
  const scope = get["x-required-scopes"]?.join() ?? "none";
  return [
    { of, side: "is", field: "", traits: { at: `GET ${path}`, scope } },
    ...get.parameters.map(
      (one): Fact => ({
        of,
        side: "in",
        field: one.name,
        traits: { place: one.in, ...presence(one.required), ...traitsOf(valuesIn(one), document) },
      }),
    ),
    ...Object.entries(get.responses).flatMap(([status, response]): Fact[] => {
      if (Number(status) >= 300) return [{ of, side: "is", field: status, traits: {} }];
      const [[media, { schema }]] = Object.entries(response.content ?? {}) as [[string, { schema: Schema }]];
      const headers = Object.keys(response.headers ?? {}).map((name) => ({
        field: `header ${name}`,
        traits: {},
      }));
      return [
        { of, side: "is", field: status, traits: { media } },
        ...[...headers, ...withoutLimits(fieldsOf(schema, document))].map((one) => ({
          of,
          side: "out" as const,
          ...one,
        })),
      ];
    }),
  ];
}

/** A list that is separated by commas may be one value as well. */
const valuesIn = ({ explode, schema }: Operation["parameters"][number]): Schema =>
  explode === false ? { anyOf: [schema.items as Schema, schema] } : schema;

/** What a call takes and gives, of which `tools/list` says only what models and programs act on. */
function ofTool({ ctx }: TestApp, { tool, scope, input, output }: ToolOperation): Fact[] {
  const of = `tool ${tool.name}`;
  const takes = fieldsOf(toJsonSchema(input, ctx.config), {});
  const gives = tool.text ? [] : withoutLimits(fieldsOf(toJsonSchema(output, ctx.config), {}));
  return [
    { of, side: "is", field: "", traits: { scope } },
    ...takes.map((one): Fact => ({ of, side: "in", ...one })),
    ...gives.map((one): Fact => ({ of, side: "out", ...one })),
  ];
}

async function ofFile(app: TestApp, path: string): Promise<Fact[]> {
  const answer = await app.ask(path);
  const type = answer.headers.get("content-type") as string;
  const text = await answer.text();
  const of = `file ${path}`;
  const fields = type.includes("json")
    ? // What the OpenAPI document says is told operation by operation.
      valuesOf(path === paths.openapi ? topOf(JSON.parse(text)) : JSON.parse(text))
    : [...text.matchAll(/^# .*/gm)].slice(0, 1).map(([title]) => ({ field: title, traits: {} }));
  return [
    { of, side: "is", field: "", traits: { type } },
    ...fields.map((one): Fact => ({ of, side: "out", ...one })),
  ];
}

const topOf = (document: Schema): Schema =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      typeof value === "object" ? (Array.isArray(value) ? [] : {}) : value,
    ]),
  );

type Field = Pick<Fact, "field" | "traits">;

/** Every field that a schema describes, the deepest after those around it. */
function fieldsOf(schema: Schema, document: Schema, at = ""): Field[] {
  const {
    properties,
    required = [],
    items,
    additionalProperties,
    anyOf,
  } = resolved(schema, document) as {
    properties?: Record<string, Schema>;
    required?: string[];
    items?: Schema;
    additionalProperties?: Schema | false;
    anyOf?: Schema[];
  };
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, field]): Field[] => {
      const path = at ? `${at}.${name}` : name;
      return [
        { field: path, traits: { ...presence(required.includes(name)), ...traitsOf(field, document) } },
        ...fieldsOf(field, document, path),
      ];
    }),
    ...(items
      ? [{ field: `${at}[]`, traits: traitsOf(items, document) }, ...fieldsOf(items, document, `${at}[]`)]
      : []),
    ...(additionalProperties
      ? [
          { field: `${at}{}`, traits: traitsOf(additionalProperties, document) },
          ...fieldsOf(additionalProperties, document, `${at}{}`),
        ]
      : []),
    ...(anyOf ?? []).flatMap((one) => fieldsOf(one, document, at)),
  ];
}

/** How long or large what is given may be is no promise. */
const withoutLimits = (fields: Field[]): Field[] =>
  fields.map(({ field, traits }) => ({
    field,
    traits: Object.fromEntries(Object.entries(traits).filter(([name]) => !limits.includes(name as Limit))),
  }));

const presence = (required: boolean) => ({ presence: required ? "required" : "optional" });

export const limits = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
  "default",
] as const;
type Limit = (typeof limits)[number];

function traitsOf(schema: Schema, document: Schema): Record<string, string> {
  const own = resolved(schema, document);
  const parts = (own.anyOf as Schema[] | undefined)?.map((one) => resolved(one, document)) ?? [own];
  const types = new Set(
    parts.flatMap((one) => (Array.isArray(one.type) ? one.type : [one.type ?? typeof one.const])) as string[],
  );
  const values = parts.flatMap(
    (one) => (one.enum as string[] | undefined) ?? (one.const === undefined ? [] : [String(one.const)]),
  );
  const existing = parts.flatMap((one) => (one["x-extensible-enum"] as string[] | undefined) ?? []);
  const formats = parts.flatMap(({ format }) => (format ? [format] : []));
  return {
    type: [...types].toSorted().join(),
    ...(formats.length > 0 && { format: formats.join() }),
    ...(values.length > 0 && { values: values.toSorted().join() }),
    ...(existing.length > 0 && { known: existing.toSorted().join() }),
    ...Object.fromEntries(
      limits.flatMap((name) =>
        parts.filter((one) => one[name] !== undefined).map((one) => [name, String(one[name])]),
      ),
    ),
  };
}

function resolved(schema: Schema, document: Schema): Schema {
  if (typeof schema.$ref !== "string") return schema;
  const name = schema.$ref.split("/").at(-1) as string;
  return (document.components as { schemas: Record<string, Schema> }).schemas[name] as Schema;
}

/** The same of a document without a schema: what is there. Members of a list are told together. */
function valuesOf(value: unknown, at = ""): Field[] {
  const inner = Array.isArray(value)
    ? value.flatMap((one) => [
        { field: `${at}[]`, traits: { type: kindOf(one) } },
        ...valuesOf(one, `${at}[]`),
      ])
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, one]) => {
          const path = at ? `${at}.${name}` : name;
          return [{ field: path, traits: { type: kindOf(one) } }, ...valuesOf(one, path)];
        })
      : [];
  return [...new Map(inner.map((one) => [one.field, one])).values()];
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
