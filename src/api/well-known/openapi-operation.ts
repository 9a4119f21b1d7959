/** Describes an operation in OpenAPI. */
import type { TSchema } from "@sinclair/typebox";
import { publicScopes } from "../../core/auth/scopes.ts";
import {
  deprecationNotice,
  findDeprecation,
  markDeprecated,
  markDeprecatedFields,
} from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import { rowsToCsv } from "../../core/lib/csv.ts";
import { type JsonSchema, toJsonSchema } from "../../core/lib/json-schema.ts";
import { listOf, listOption } from "../../core/lib/validate.ts";
import type { Status } from "../../core/problem.ts";
import { requestExample, responseExample } from "../operations/example.ts";
import {
  bodyFields,
  csvRowSchema,
  describeAccess,
  errorStatuses,
  fieldLocation,
  type HttpOperation,
  requestMediaType,
  wireName,
} from "../operations/http-operation.ts";
import {
  apiHeaderRefs,
  type Describer,
  deprecationHeaderRefs,
  etagHeaderRefs,
  problemResponse,
  problemResponseRef,
} from "./openapi-responses.ts";

export function describeOperation(op: HttpOperation, describer: Describer): JsonSchema {
  const { site } = describer;
  const { http, scope } = op;
  const isPublic = scope === "public" || (site.config.publicRead && publicScopes.has(scope));
  const deprecation = findDeprecation(site, "operation", op.id);
  const headers = { ...apiHeaderRefs(site.config), ...(deprecation && deprecationHeaderRefs) };
  const problem = (status: Status) =>
    deprecation ? problemResponse(status, site.config, headers) : problemResponseRef(status);
  return {
    operationId: op.id,
    tags: [op.tag],
    summary: op.summary,
    description: [
      op.description,
      describeAccess(op, isPublic),
      op.stable ? "Stable." : "Pre-release: may change without notice.",
      ...(deprecation ? [deprecationNotice(deprecation)] : []),
    ].join("\n\n"),
    externalDocs: { url: `${site.config.siteUrl}${paths.docs}#${op.id}` },
    ...(deprecation && { deprecated: true }),
    security: op.token
      ? [{ bearer: [] }]
      : scope === "public"
        ? []
        : isPublic
          ? [{}, { bearer: [] }]
          : [{ bearer: [] }],
    ...(scope !== "public" && { "x-required-scopes": [scope] }),
    parameters: Object.entries(op.input.properties)
      .filter(([name]) => !bodyFields(op).includes(name))
      .map(([name, field]) => describeParameter(op, name, field, describer))
      .concat(http.revalidates ? ifNoneMatchParameter : []),
    ...(bodyFields(op).length > 0 && {
      requestBody: {
        required: !http.hasOptionalBody,
        content: { [requestMediaType(op)]: describeBody(op, describer) },
      },
    }),
    responses: {
      [http.status ?? 200]: {
        description: `${op.summary}.`,
        headers: { ...headers, ...(http.revalidates && etagHeaderRefs) },
        content: describeOutput(op, describer),
      },
      ...(http.revalidates && {
        304: {
          description: "Not modified: the response you have is still current.",
          headers: { ...headers, ...etagHeaderRefs },
        },
      }),
      ...Object.fromEntries(
        errorStatuses(op, {
          isPublic,
          isRateLimited: site.config.rateLimit !== null,
          isDeprecated: deprecation !== null,
        }).map((status) => [status, problem(status)]),
      ),
    },
  };
}

const ifNoneMatchParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "`ETag` of a response you have. If it is still current, the response is a 304 without a body.",
  schema: { type: "string" },
  example: 'W/"2b8k1d0q7z5xw"',
};

function describeBody(op: HttpOperation, { site, schema, component }: Describer): JsonSchema {
  const names = bodyFields(op);
  const required = names.filter((name) => op.input.required?.includes(name));
  const bodySchema = (of: (field: TSchema) => JsonSchema): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, of(op.input.properties[name] as TSchema)])),
    ...(required.length > 0 && { required }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...(op.input.if && { if: op.input.if, then: op.input.then }),
  });
  const described = () => markDeprecatedFields(site, op.id, bodySchema(schema));
  return {
    schema: op.http.body ? component(op.http.body, described) : described(),
    // A form has no example: its file is binary. It has no `encoding` either: ogen would leave it out.
    ...(op.http.media !== "multipart/form-data" && {
      example: requestExample(
        bodySchema((field) => toJsonSchema(field, site.config)),
        site.config,
      ),
    }),
  };
}

function describeOutput(op: HttpOperation, { site, schema }: Describer): JsonSchema {
  const output = schema(op.output);
  const example = responseExample(toJsonSchema(op.output, site.config), site.config);
  if (op.http.stream)
    return {
      "text/event-stream": {
        // No `type`: tools disagree on whether it describes the whole stream, a message or its data.
        schema: {
          description: "Server-Sent Events; the data of each message is one Event.",
          "x-event-data": output,
        },
        example: `id: 1\ndata: ${JSON.stringify(example)}\n\n`,
      },
    };
  return {
    "application/json": { schema: output, example },
    ...(op.http.csv && {
      "text/csv": {
        schema: { type: "string", description: "A line for each row; the columns are the fields of a row." },
        example: rowsToCsv(csvRowSchema(op), (example as Record<string, object[]>)[op.http.csv] ?? []),
      },
    }),
  };
}

const describeField = (field: TSchema): string =>
  listOption(field) ? `${field.description} Separate several values with commas.` : `${field.description}`;

function describeParameter(
  op: HttpOperation,
  name: string,
  field: TSchema,
  { site, schema }: Describer,
): JsonSchema {
  const location = fieldLocation(op, name);
  const deprecation = findDeprecation(site, "field", `${op.id}.${name}`);
  const list = listOf(field);
  const parameter = {
    name: wireName(op, name),
    in: location,
    required: location === "path" || (op.input.required?.includes(name) ?? false),
    ...(field.description && { description: describeField(field) }),
    ...(list && location === "query" && { style: "form", explode: false }),
    schema: !list ? schema(field) : location === "path" ? joinedByCommas(list) : schema(list),
  };
  return deprecation ? markDeprecated(deprecation, parameter) : parameter;
}

/** A list in a path, as text: with an array there, openapi-generator's client for Rust does not compile. */
function joinedByCommas({ description, items, maxItems }: TSchema): JsonSchema {
  const one = (items as TSchema).pattern.slice(1, -1);
  return { description, type: "string", pattern: `^${one}(,${one}){0,${maxItems - 1}}$` };
}
