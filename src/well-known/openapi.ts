/** The table of operations as an OpenAPI 3.1 document. */
import type { TSchema } from "@sinclair/typebox";
import { publicScopes } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import { toJsonSchema } from "../json-schema.ts";
import { httpOperations } from "../operations/index.ts";
import { type HttpFacts, type Operation, tags } from "../operations/operation.ts";
import { ProblemDocument, type Status, statuses } from "../problem.ts";
import { commit, description, version } from "../version.ts";

type Json = Record<string, unknown>;
type ToSchema = (one: TSchema) => Json;
type HttpOperation = Operation & { http: HttpFacts };

/** Problems that any operation may answer, beside its own. */
const always: Status[] = [400, 401, 403, 404, 405, 429, 500, 503];

export function openapi(config: Config): Json {
  const schemas: Record<string, unknown> = {};
  const schema: ToSchema = (one) => toJsonSchema(one, config, component);
  /** A shape with a name is described once, among the components. */
  const component = (name: string, describe: () => Json): Json => {
    if (!schemas[name]) {
      schemas[name] = {}; // reserves its place, should it contain itself
      schemas[name] = describe();
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  schema(ProblemDocument);
  const document = {
    openapi: "3.1.1",
    info: {
      title: "svc API",
      version,
      description: `${description} Every error is a problem document. Built from commit ${commit}.`,
      contact: { name: "The operator of this deployment", url: config.siteUrl + paths.docs },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: config.siteUrl + paths.api }],
    tags: Object.entries(tags)
      .filter(([name]) => httpOperations.some((op) => op.tag === name))
      .map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      [...Map.groupBy(httpOperations, (op) => op.http.path)].map(([path, rows]) => [
        path,
        Object.fromEntries(
          [...Map.groupBy(rows, (op) => op.http.method)].map(([method, alternatives]) => [
            method.toLowerCase(),
            describeOperation(alternatives as [HttpOperation, ...HttpOperation[]], config, schema),
          ]),
        ),
      ]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token that the operator minted with `svc token create`." },
      },
      headers: {
        RateLimitPolicy: { description: "Quota and window in seconds.", schema: { type: "string" }, example: '"default";q=60;w=60' },
        RateLimit: {
          description: "What is left, and seconds until the window ends.",
          schema: { type: "string" },
          example: '"default";r=59;t=60',
        },
        RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
        Challenge: { description: "Bearer challenge with the scope and the resource metadata.", schema: { type: "string" } },
        Allow: { description: "Methods of this path.", schema: { type: "string" } },
      },
      responses: Object.fromEntries(
        Object.entries(statuses).map(([status, [title, when]]) => [
          responseName(title),
          problemAnswer(Number(status) as Status, when, config),
        ]),
      ),
      schemas,
    },
  };
  return dropUnusedResponses(document);
}

const responseName = (title: string): string => title.replaceAll(" ", "");

const limitHeaders = (config: Config): Json =>
  config.rateLimit
    ? { "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" }, RateLimit: { $ref: "#/components/headers/RateLimit" } }
    : {};

const ownHeaders: Partial<Record<Status, Json>> = {
  401: { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } },
  403: { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } },
  405: { Allow: { $ref: "#/components/headers/Allow" } },
  429: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  503: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
};

const problemAnswer = (status: Status, when: string, config: Config): Json => ({
  description: when,
  headers: { ...limitHeaders(config), ...ownHeaders[status] },
  content: {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      example: { type: config.siteUrl + paths.errors, title: statuses[status][0], status, detail: when, instance: `${paths.api}/feed` },
    },
  },
});

/** Rows of one method and path are one operation here, with a type of body for each. */
function describeOperation(rows: [HttpOperation, ...HttpOperation[]], config: Config, schema: ToSchema): Json {
  const [op] = rows;
  const { http, scope } = op;
  const open = scope === "public" || (config.publicRead && publicScopes.has(scope));
  const errors = [...new Set([...always, ...(http.errors ?? []), ...(op.writes ? ([413, 415, 501] as Status[]) : [])])].sort();
  const bodies = rows.map((row) => [row, bodyFields(row)] as const).filter(([, fields]) => fields.length > 0);
  const outputs = rows.map((row) => schema(row.output));
  return {
    operationId: op.id,
    tags: [op.tag],
    summary: rows
      .map((row) => row.summary)
      .join(", or ")
      .replace(/(?<=, or )\w/, (letter) => letter.toLowerCase()),
    description: `${rows.map((row) => row.description).join("\n\n")}\n\n${scope === "public" ? "Always public." : `Scope \`${scope}\`${open ? ", or none: public read is on here" : ""}.`}`,
    security: scope === "public" ? [] : open ? [{}, { bearer: [] }] : [{ bearer: [] }],
    ...(scope !== "public" && { "x-required-scopes": [scope] }),
    parameters: Object.entries(op.input.properties)
      .filter(([name]) => !bodyFields(op).includes(name))
      .map(([name, field]) => describeParameter(op, name, field, schema)),
    ...(bodies.length > 0 && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          bodies.map(([row, fields]) => [row.http.media ?? "application/json", { schema: bodySchema(row, fields, schema) }]),
        ),
      },
    }),
    responses: {
      [http.status ?? 200]: {
        description: op.summary,
        headers: limitHeaders(config),
        content: {
          [http.stream ? "text/event-stream" : "application/json"]: { schema: outputs.length > 1 ? { anyOf: outputs } : outputs[0] },
        },
      },
      ...Object.fromEntries(errors.map((status) => [status, { $ref: `#/components/responses/${responseName(statuses[status][0])}` }])),
    },
  };
}

const inPath = ({ http }: HttpOperation, name: string): boolean => http.path.includes(`{${name}}`);

const bodyFields = (op: HttpOperation): string[] =>
  op.http.method === "GET" || op.http.media === null
    ? []
    : Object.keys(op.input.properties).filter((name) => !inPath(op, name) && !op.http.headers?.[name]);

function bodySchema(op: HttpOperation, fields: string[], schema: ToSchema): Json {
  const required = fields.filter((name) => op.input.required?.includes(name));
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((name) => [name, schema(op.input.properties[name] as TSchema)])),
    ...(required.length > 0 && { required }),
  };
}

function describeParameter(op: HttpOperation, name: string, field: TSchema, schema: ToSchema): Json {
  const header = op.http.headers?.[name];
  const place = inPath(op, name) ? "path" : header ? "header" : "query";
  return {
    name: header ?? name,
    in: place,
    required: place === "path" || (op.input.required?.includes(name) ?? false),
    ...(field.description && { description: field.description }),
    schema: schema(field),
  };
}

function dropUnusedResponses<T extends { components: { responses: Json } }>(document: T): T {
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.responses)) {
    if (!text.includes(`"#/components/responses/${name}"`)) delete document.components.responses[name];
  }
  return document;
}
