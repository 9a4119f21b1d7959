/** The OTLP receiver as OpenAPI paths. It is outside the API's base path, so it has its own server. */
import { paths } from "../../core/info.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";
import type { Status } from "../../core/problem.ts";
import { type Signal, signalNames, signals } from "../../integrations/telemetry/otlp/schema.ts";
import type { Describer } from "./openapi-describer.ts";
import { problemResponse } from "./openapi-responses.ts";

const problems: Status[] = [400, 401, 403, 405, 413, 415, 429, 501, 503];
const binary = { schema: { type: "string", format: "binary" } };

const titleOf = (signal: Signal): string => (signal[0] as string).toUpperCase() + signal.slice(1);

/** The paths of all signals. */
export const describeOtlp = (describer: Describer): JsonSchema =>
  Object.fromEntries(
    signalNames.map((signal) => [`${paths.otlp}/v1/${signal}`, describeSignal(describer, signal)]),
  );

/** @param base of the path, for an example of an error */
export const describeSignal = (
  describer: Describer,
  signal: Signal,
  base: string = paths.otlp,
): JsonSchema => ({
  servers: [
    {
      url: describer.site.config.siteUrl,
      description: "The site root: telemetry is not part of the versioned API.",
    },
  ],
  post: {
    operationId: `receive${titleOf(signal)}`,
    tags: ["feed"],
    summary: `Receive OpenTelemetry ${signal}`,
    description:
      `OTLP/HTTP 1.x in protobuf or JSON, also with \`Content-Encoding: gzip\`. What ${signal} say ` +
      "about runs and usage becomes events; everything else is dropped. Errors are a " +
      "`google.rpc.Status` in the encoding of the request. Sending a request again adds nothing.\n\n" +
      "Scope `telemetry:write` or `feed:write`.",
    security: [{ bearer: [] }],
    parameters: [],
    requestBody: {
      required: true,
      content: {
        "application/x-protobuf": binary,
        "application/json": { schema: requestSchema(signal), example: {} },
      },
    },
    responses: {
      200: {
        description: "Received. `partialSuccess` says what was rejected; do not send it again.",
        content: {
          "application/x-protobuf": binary,
          "application/json": { schema: resultSchema(signal), example: {} },
        },
      },
      ...Object.fromEntries(problems.map((status) => [status, errorResponse(describer, status, base)])),
    },
  },
});

const requestSchema = (signal: Signal): JsonSchema => {
  const name = signals[signal].request.byNumber.get(1)?.jsonName as string;
  // The JSON mapping of proto3: null is an absent field.
  const list = { type: ["array", "null"], items: { type: "object" } };
  return { type: "object", properties: { [name]: list } };
};

const resultSchema = (signal: Signal): JsonSchema => ({
  type: "object",
  properties: {
    partialSuccess: {
      type: "object",
      required: [signals[signal].rejected, "errorMessage"],
      properties: {
        [signals[signal].rejected]: { type: "string", pattern: "^\\d+$", description: "How many." },
        errorMessage: { type: "string", description: "Why." },
      },
    },
  },
});

/** As a status in the encoding of the request; as a problem document if that encoding is unknown. */
function errorResponse({ site: { config }, component }: Describer, status: Status, base: string): JsonSchema {
  const response = problemResponse(status, config, {}, `${base}/v1/logs`);
  const schema = component("Status", () => ({
    description: "An error of the OTLP receiver (google.rpc.Status).",
    type: "object",
    required: ["code", "message"],
    properties: {
      code: { type: "integer", description: "Code of google.rpc.", examples: [3] },
      message: { type: "string", description: "What went wrong and what to do about it." },
    },
  }));
  return {
    ...response,
    content: {
      ...(response.content as JsonSchema),
      "application/x-protobuf": binary,
      "application/json": { schema, example: { code: 3, message: "The body is not valid JSON." } },
    },
  };
}
