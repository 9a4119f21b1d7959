/** The OpenAPI 3.1 document of all operations, from which clients can be generated. */
import type { DescriptionContext } from "../../core/context.ts";
import { markDeprecatedFields } from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import { type JsonSchema, toJsonSchema } from "../../core/lib/json-schema.ts";
import { tags } from "../../core/operation.ts";
import { ProblemDocument } from "../../core/problem.ts";
import { commit, description, version } from "../../core/version.ts";
import { documentedOperations } from "../operations/index.ts";
import { bearer } from "../operations/raw/raw-operation.ts";
import type { Describer } from "./openapi-describer.ts";
import { describeOperation } from "./openapi-operation.ts";
import { describeRawOperations, rawSecurity } from "./openapi-raw.ts";
import { headerComponents, problemResponses } from "./openapi-responses.ts";

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
