/** Raw operations in OpenAPI. They are outside the API's base path, so each path has its own server. */
import type { JsonSchema } from "../../core/lib/json-schema.ts";
import { type Status, statuses } from "../../core/problem.ts";
import { rawOperations } from "../operations/raw/index.ts";
import type { Content, RawField, RawOperation } from "../operations/raw/raw-operation.ts";
import type { Describer } from "./openapi-describer.ts";
import { problemResponse } from "./openapi-responses.ts";

const listed = rawOperations.filter((op) => !op.unlisted);

/** The security schemes of all raw operations. */
export const rawSecurity: JsonSchema = Object.assign({}, ...listed.map(({ security }) => security));

export const describeRawOperations = (describer: Describer): JsonSchema =>
  Object.fromEntries(
    [...Map.groupBy(listed, ({ path }) => path)].map(([path, rows]) => {
      const { of, description } = (rows[0] as RawOperation).server;
      const methods = rows.map((op) => [op.method.toLowerCase(), describeRaw(op, describer)]);
      return [
        path,
        { servers: [{ url: describer.site.config[of], description }], ...Object.fromEntries(methods) },
      ];
    }),
  );

function describeRaw(op: RawOperation, describer: Describer): JsonSchema {
  const content = (one: Content) => describeContent(one, describer);
  return {
    operationId: op.id,
    tags: [op.tag],
    summary: op.summary,
    description: op.description,
    security: Object.keys(op.security).map((name) => ({ [name]: [] })),
    parameters: Object.entries(op.parameters ?? {}).map(([name, { in: place, required, ...field }]) => ({
      name,
      in: place,
      required,
      ...describeField(field, describer),
    })),
    ...(op.body && {
      requestBody: { required: !op.body.isOptional, content: content(op.body.content) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(op.responses).map(([status, one]) => [
          status,
          {
            description: one.description,
            ...(one.headers && { headers: describeHeaders(one.headers, describer) }),
            ...(one.content && { content: content(one.content) }),
          },
        ]),
      ),
      ...Object.fromEntries(op.errors.map((status) => [status, describeError(op, status, describer)])),
    },
  };
}

function describeError(op: RawOperation, status: Status, describer: Describer): JsonSchema {
  const headers = describeHeaders(op.errorHeaders ?? {}, describer);
  // A response to HEAD has no body (RFC 9110, section 9.3.2).
  if (op.method === "HEAD") return { description: statuses[status][1], headers };
  const instance = op.path.replace(/\{.*/, "…");
  const response = problemResponse(status, describer.site.config, headers, instance);
  const { "WWW-Authenticate": challenge, ...others } = response.headers as JsonSchema;
  return {
    ...response,
    // A token does not help where a signed URL is wrong.
    headers: Object.keys(op.security).length > 0 && challenge ? response.headers : others,
    content: {
      ...(response.content as JsonSchema),
      ...describeContent(op.errorContent ?? {}, describer),
    },
  };
}

const describeContent = (content: Content, { schema }: Describer): JsonSchema =>
  Object.fromEntries(
    Object.entries(content).map(([type, one]) => [type, { ...one, schema: schema(one.schema) }]),
  );

const describeHeaders = (headers: Record<string, RawField>, describer: Describer): JsonSchema =>
  Object.fromEntries(Object.entries(headers).map(([name, field]) => [name, describeField(field, describer)]));

const describeField = ({ description, schema, example }: RawField, describer: Describer): JsonSchema => ({
  description,
  schema: schema
    ? describer.schema(schema)
    : typeof example === "number"
      ? { type: "integer", format: "int64", minimum: 0 }
      : { type: "string" },
  example,
});
