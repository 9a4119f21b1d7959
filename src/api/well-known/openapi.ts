/** The OpenAPI 3.1 document of all operations, from which clients can be generated. */

import type { DescriptionContext } from "../../core/context.ts";
import { markDeprecatedFields } from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import { type JsonSchema, toJsonSchema } from "../../core/lib/json-schema.ts";
import { tags } from "../../core/operation.ts";
import { ProblemDocument, type Status, statuses } from "../../core/problem.ts";
import { commit, description, version } from "../../core/version.ts";
import { documentedOperations } from "../operations/index.ts";
import { rawOperations } from "../operations/raw/index.ts";
import { bearer, type Content, type RawField, type RawOperation } from "../operations/raw/raw-operation.ts";
import { describeOperation } from "./openapi-operation.ts";
import { type Describer, headerComponents, problemResponse, problemResponses } from "./openapi-responses.ts";

/** The OpenAPI 3.1 document. */
export function openapi(site: DescriptionContext): JsonSchema {
  const { siteUrl } = site.config;
  const schemas: Record<string, JsonSchema> = {};
  const component: Describer["component"] = (name, describe) => {
    if (!schemas[name]) {
      schemas[name] = {}; // reserved first, in case it refers to itself
      schemas[name] = markDeprecatedFields(site, name, describe());
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const describer: Describer = {
    site,
    component,
    schema: (type) => toJsonSchema(type, site.config, component),
  };
  describer.schema(ProblemDocument);
  const operations = documentedOperations(site);
  const document = {
    openapi: "3.1.1",
    info: {
      title: "svc API",
      version,
      summary: description,
      description:
        `${description}\n\nEvery error is a problem document (RFC 9457). Operations ` +
        "marked stable change only by addition, and their removal is announced 90 days ahead; the " +
        `rest is pre-release. The \`maxLength\` of a string in a request counts UTF-8 bytes. Built ` +
        `from commit ${commit}.`,
      contact: { name: "The admin of this deployment", url: siteUrl + paths.docs },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    externalDocs: { description: "API guide.", url: siteUrl + paths.docs },
    servers: [{ url: siteUrl + paths.api, description: "Version 1." }],
    tags: Object.entries(tags)
      .filter(([name]) => operations.some((op) => op.tag === name))
      .map(([name, description]) => ({ name, description })),
    paths: {
      ...Object.fromEntries(
        [...Map.groupBy(operations, (op) => op.http.path)].map(([path, rows]) => [
          path,
          Object.fromEntries(
            rows.map((op) => [op.http.method.toLowerCase(), describeOperation(op, describer)]),
          ),
        ]),
      ),
      ...describeRawOperations(describer),
    },
    components: {
      securitySchemes: {
        bearer,
        ...rawSecurity,
      },
      headers: headerComponents,
      responses: problemResponses(site.config),
      schemas,
    },
  };
  return withoutUnused(document);
}

/**
 * Removes components that nothing refers to: without a rate limit or deprecations, some are unused.
 */
function withoutUnused<T extends { components: Record<"headers" | "responses", object> }>(document: T): T {
  const { components } = document;
  // Responses first, because they refer to headers.
  for (const kind of ["responses", "headers"] as const) {
    const used = new Set(
      [...JSON.stringify(document).matchAll(new RegExp(`"#/components/${kind}/(\\w+)"`, "g"))].map(
        ([, name]) => name,
      ),
    );
    components[kind] = Object.fromEntries(
      Object.entries(components[kind]).filter(([name]) => used.has(name)),
    );
  }
  return document;
}

/** Raw operations in OpenAPI. They are outside the API's base path, so each path has its own server. */
const listed = rawOperations.filter((op) => !op.unlisted);

/** The security schemes of all raw operations. */
const rawSecurity: JsonSchema = Object.assign({}, ...listed.map(({ security }) => security));

const describeRawOperations = (describer: Describer): JsonSchema =>
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
