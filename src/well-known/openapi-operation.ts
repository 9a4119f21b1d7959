/** One operation as OpenAPI describes it. */
import type { TSchema } from "@sinclair/typebox";
import { publicScopes } from "../auth/scopes.ts";
import { marked, markedField, noticeOf, retiring } from "../deprecation.ts";
import { paths } from "../info.ts";
import { type JsonSchema, toJsonSchema } from "../json-schema.ts";
import { bodyExampleOf, exampleOf } from "../operations/example.ts";
import { bodyFields, type HttpOperation, mediaOf, placeOf, problemsOf } from "../operations/facts.ts";
import type { Status } from "../problem.ts";
import type { Describer } from "./openapi.ts";
import { apiHeaders, deprecationHeaders, problemAnswer, revalidatedHeaders, toProblem } from "./openapi-answers.ts";

/** Rows of one method and path are one operation here, with a type of body for each. */
export function describeOperation(rows: [HttpOperation, ...HttpOperation[]], describer: Describer): JsonSchema {
  const { site } = describer;
  const [op] = rows;
  const { http, scope } = op;
  const open = scope === "public" || (site.config.publicRead && publicScopes.has(scope));
  const retires = rows.map((row) => retiring(site, "operation", row.id)).filter((row) => row !== null);
  // Only where no way is left that stays: the whole operation is marked.
  const deprecated = retires.length === rows.length;
  const fields = { ...apiHeaders(site.config), ...(retires.length > 0 && deprecationHeaders) };
  const problem = (status: Status) => (retires.length > 0 ? problemAnswer(status, site.config, fields) : toProblem(status));
  const bodies = rows.filter((row) => bodyFields(row).length > 0);
  return {
    operationId: op.id,
    tags: [op.tag],
    summary: rows
      .map((row) => row.summary)
      .join(", or ")
      .replace(/(?<=, or )\w/, (letter) => letter.toLowerCase()),
    description: [
      ...rows.map((row) => row.description),
      scope === "public" ? "Always public." : `Scope \`${scope}\`${open ? ", or none: public read is on here" : ""}.`,
      op.stable ? "Stable." : "Pre-release: it may change without notice.",
      ...retires.map((row) => (rows.length > 1 ? `\`${row.name}\`: ${noticeOf(row)}` : noticeOf(row))),
    ].join("\n\n"),
    externalDocs: { url: `${site.config.siteUrl}${paths.docs}#${op.id}` },
    ...(deprecated && { deprecated }),
    security: scope === "public" ? [] : open ? [{}, { bearer: [] }] : [{ bearer: [] }],
    ...(scope !== "public" && { "x-required-scopes": [scope] }),
    parameters: Object.entries(op.input.properties)
      .filter(([name]) => !bodyFields(op).includes(name))
      .map(([name, field]) => describeParameter(op, name, field, describer))
      .concat(http.revalidates ? ifNoneMatch : []),
    ...(bodies.length > 0 && {
      requestBody: { required: true, content: Object.fromEntries(bodies.map((row) => [mediaOf(row), describeBody(row, describer)])) },
    }),
    responses: {
      [http.status ?? 200]: {
        description: `${op.summary}.`,
        headers: { ...fields, ...(http.revalidates && revalidatedHeaders) },
        content: describeOutput(rows, describer),
      },
      ...(http.revalidates && {
        304: { description: "What you hold still is the answer.", headers: { ...fields, ...revalidatedHeaders } },
      }),
      ...Object.fromEntries(
        problemsOf(op, { open, limited: site.config.rateLimit !== null, retires: retires.length > 0 }).map((status) => [
          status,
          problem(status),
        ]),
      ),
    },
  };
}

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "`ETag` of an answer that you hold: where it still is the answer, a 304 without a body.",
  schema: { type: "string" },
  example: 'W/"2b8k1d0q7z5xw"',
};

function describeBody(op: HttpOperation, { site, schema, component }: Describer): JsonSchema {
  const names = bodyFields(op);
  const required = names.filter((name) => op.input.required?.includes(name));
  const whole = (of: (field: TSchema) => JsonSchema): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, of(op.input.properties[name] as TSchema)])),
    ...(required.length > 0 && { required }),
  });
  const described = () => marked(site, op.id, whole(schema));
  return {
    schema: op.http.body ? component(op.http.body, described) : described(),
    // The bytes of a form are no JSON, so no example holds them.
    ...(op.http.media === "multipart/form-data"
      ? { encoding: { file: { contentType: "application/octet-stream" }, tags: { style: "form", explode: false } } }
      : {
          example: bodyExampleOf(
            whole((field) => toJsonSchema(field, site.config)),
            site.config,
          ),
        }),
  };
}

function describeOutput(rows: [HttpOperation, ...HttpOperation[]], { site, schema }: Describer): JsonSchema {
  const [op] = rows;
  const outputs = rows.map((row) => schema(row.output));
  const example = exampleOf(toJsonSchema(op.output, site.config), site.config);
  if (op.http.stream)
    return {
      "text/event-stream": {
        schema: { type: "string", description: "Server-Sent Events; the data of each is one Event.", "x-event-data": outputs[0] },
        example: `id: 1\ndata: ${JSON.stringify(example)}\n\n`,
      },
    };
  return { "application/json": { schema: outputs.length > 1 ? { anyOf: outputs } : outputs[0], example } };
}

function describeParameter(op: HttpOperation, name: string, field: TSchema, { site, schema }: Describer): JsonSchema {
  const place = placeOf(op, name);
  const retires = retiring(site, "field", `${op.id}.${name}`);
  const described = {
    name: op.http.headers?.[name] ?? name,
    in: place,
    required: place === "path" || (op.input.required?.includes(name) ?? false),
    ...(field.description && { description: field.description }),
    schema: schema(field),
  };
  return retires ? markedField(retires, described) : described;
}
