/** The table of operations as an OpenAPI 3.1 document, good enough to generate clients from. */
import type { TSchema } from "@sinclair/typebox";
import type { DescriptionContext } from "../context.ts";
import { marked } from "../deprecation.ts";
import { paths } from "../info.ts";
import { type JsonSchema, toJsonSchema } from "../lib/json-schema.ts";
import { listedOperations } from "../operations/index.ts";
import { tags } from "../operations/operation.ts";
import { ProblemDocument } from "../problem.ts";
import { commit, description, version } from "../version.ts";
import { headerComponents, problemComponents } from "./openapi-answers.ts";
import { describeOperation } from "./openapi-operation.ts";
import { describeWebhook, webhookSecurity } from "./openapi-webhook.ts";

/** What describes a part of the document is given. */
export interface Describer {
  site: DescriptionContext;
  /** A shape of ours; one with a name becomes a component. */
  schema(one: TSchema): JsonSchema;
  /** A shape with a name is described once, among the components. */
  component(name: string, describe: () => JsonSchema): JsonSchema;
}

export function openapi(site: DescriptionContext): JsonSchema {
  const { siteUrl } = site.config;
  const schemas: Record<string, JsonSchema> = {};
  const component: Describer["component"] = (name, describe) => {
    if (!schemas[name]) {
      schemas[name] = {}; // reserves its place, should it contain itself
      schemas[name] = marked(site, name, describe());
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const describer: Describer = {
    site,
    component,
    schema: (one) => toJsonSchema(one, site.config, component),
  };
  describer.schema(ProblemDocument);
  const operations = listedOperations(site);
  const document = {
    openapi: "3.1.1",
    info: {
      title: "svc API",
      version,
      summary: description,
      description: `${description}\n\nEvery error is a problem document (RFC 9457). What is marked stable changes by addition only, and is announced 90 days before it ends; the rest is pre-release. The \`maxLength\` of a text in a request counts bytes of UTF-8. Built from commit ${commit}.`,
      contact: { name: "The operator of this deployment", url: siteUrl + paths.docs },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    externalDocs: { description: "The guide to the API.", url: siteUrl + paths.docs },
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
      [paths.webhook]: describeWebhook(describer),
    },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A token that the operator minted with `svc token create`.",
        },
        ...webhookSecurity,
      },
      headers: headerComponents,
      responses: problemComponents(site.config),
      schemas,
    },
  };
  return withoutUnused(document);
}

/**
 * What nothing refers to, is not there: not every deployment limits its rate, and nothing may be deprecated.
 */
function withoutUnused<T extends { components: Record<"headers" | "responses", object> }>(document: T): T {
  const { components } = document;
  // Responses first: headers are referred to by them.
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
