/** The paths of LiteLLM and Langfuse as OpenAPI paths. They are outside the API's base path. */
import { paths } from "../../core/info.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";
import type { Status } from "../../core/problem.ts";
import type { Describer } from "./openapi-describer.ts";
import { describeSignal } from "./openapi-otlp.ts";
import { problemResponse } from "./openapi-responses.ts";

const problems: Status[] = [400, 401, 403, 405, 413, 415, 429, 500, 501, 503];

export const gatewaySecurity = {
  langfuse: {
    type: "http",
    scheme: "basic",
    description: "As Langfuse's SDKs sign in: any public key, and an access token as the secret key.",
  },
};

/** Bearer, and Basic as Langfuse's SDKs send it. */
const security = [{ bearer: [] }, { langfuse: [] }];

export const describeGateways = (describer: Describer): JsonSchema => {
  const servers = [
    { url: describer.site.config.siteUrl, description: "The site root: the paths are those of the senders." },
  ];
  const traces = describeSignal(describer, "traces", paths.langfuse);
  const post = { ...(traces.post as JsonSchema), operationId: "receiveLangfuseTraces", security };
  return {
    [paths.litellm]: { servers, post: describeLitellm(describer) },
    [`${paths.langfuse}/ingestion`]: { servers, post: describeIngestion(describer) },
    [`${paths.langfuse}/otel/v1/traces`]: { servers, post },
  };
};

const problemsOf = ({ site: { config } }: Describer, path: string): JsonSchema =>
  Object.fromEntries(problems.map((status) => [status, problemResponse(status, config, {}, path)]));

const scopes = "Scope `telemetry:write` or `feed:write`.";
const count = (description: string): JsonSchema => ({ type: "integer", format: "int64", description });
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});

function describeLitellm(describer: Describer): JsonSchema {
  const row = { type: "object", description: "A row of LiteLLM's callback `generic_api`." };
  return {
    operationId: "receiveLitellmRows",
    tags: ["feed"],
    summary: "Receive calls from LiteLLM",
    description:
      "LiteLLM's callback `generic_api`, in its formats `json_array`, `ndjson`, and `single`. Each " +
      `row becomes a \`step.usage\`; prompts and answers are not read.\n\n${scopes}`,
    security: [{ bearer: [] }],
    parameters: [],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { oneOf: [{ type: "array", items: row }, row] }, example: [] },
      },
    },
    responses: {
      200: {
        description: "Received. Do not send again what was rejected.",
        content: {
          "application/json": {
            schema: object({
              accepted: count("Rows that are in the feed."),
              rejected: count("Rows about usage that are not."),
              message: { type: "string", description: "Why; empty if none was rejected." },
            }),
            example: { accepted: 1, rejected: 0, message: "" },
          },
        },
      },
      ...problemsOf(describer, paths.litellm),
    },
  };
}

function describeIngestion(describer: Describer): JsonSchema {
  const id = { type: "string", description: "Id of the event in the batch." };
  const status = { type: "integer", description: "HTTP status of the event." };
  const list = (properties: Record<string, JsonSchema>) => ({ type: "array", items: object(properties) });
  return {
    operationId: "receiveLangfuseBatch",
    tags: ["feed"],
    summary: "Receive a batch from Langfuse's SDKs",
    description:
      "Langfuse's ingestion API as far as usage goes: a generation becomes a `step.usage`. Other events " +
      `are accepted and dropped, and so are inputs, outputs and metadata.\n\n${scopes}`,
    security,
    parameters: [],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: object({ batch: { type: "array", items: { type: "object" }, maxItems: 1000 } }),
          example: { batch: [] },
        },
      },
    },
    responses: {
      207: {
        description: "What became of each event.",
        content: {
          "application/json": {
            schema: object({
              successes: list({ id, status }),
              errors: list({ id, status, message: { type: "string", description: "Why." } }),
            }),
            example: { successes: [{ id: "e1", status: 201 }], errors: [] },
          },
        },
      },
      ...problemsOf(describer, `${paths.langfuse}/ingestion`),
    },
  };
}
