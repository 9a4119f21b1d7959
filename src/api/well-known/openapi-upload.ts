/** The signed upload URL as an OpenAPI path. It is outside of the API's base path, so it has its own server. */

import type { Config } from "../../core/config.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";
import { statuses } from "../../core/problem.ts";
import { signedFilePath } from "../../library/assets/files/signed-urls.ts";
import { AssetId } from "../../library/assets/schema.ts";
import {
  type HeaderText,
  type TusHeader,
  tusHeaders,
  type UploadMethod,
  uploadMethods,
} from "../../library/assets/upload/tus-protocol.ts";
import { problemResponse } from "./openapi-responses.ts";

export const signedUploadPath = `${signedFilePath}/upload/{id}/{signature}`;

/** @param config of the deployment; the URL is one of its content origin */
export const describeSignedUpload = (config: Config): JsonSchema => ({
  servers: [
    { url: config.contentUrl, description: "The origin of files: the signed URL is the credential." },
  ],
  ...Object.fromEntries(
    Object.entries(uploadMethods).map(([method, one]) => [
      method.toLowerCase(),
      describeMethod(method, one, config),
    ]),
  ),
});

function describeMethod(method: string, one: UploadMethod, config: Config): JsonSchema {
  const isTus = one.returns.includes("Tus-Resumable");
  const headers = isTus ? describeHeaders(["Tus-Resumable"]) : {};
  const binary = { schema: { type: "string", format: "binary" } };
  return {
    operationId: one.id,
    tags: ["assets"],
    summary: one.summary,
    description: one.description,
    security: [],
    parameters: [
      ...["id", "signature"].map(pathParameter),
      ...one.requires.map((name) => headerParameter(name, true)),
      ...one.accepts.map((name) => headerParameter(name, false)),
    ],
    ...(one.body && {
      requestBody: { required: one.body.isRequired, content: { [one.body.type]: binary } },
    }),
    responses: {
      [one.status]: {
        description: `${one.summary}.`,
        headers: describeHeaders(one.returns),
        ...(one.status === 200 && method !== "HEAD" && { content: { "application/json": digest } }),
      },
      ...Object.fromEntries(
        one.errors.map((status) => [
          status,
          // A response to HEAD has no body (RFC 9110, section 9.3.2).
          method === "HEAD"
            ? { description: statuses[status][1], headers }
            : withoutChallenge(problemResponse(status, config, headers, `${signedFilePath}/upload/…`)),
        ]),
      ),
    },
  };
}

/** A token does not help where a signed URL is wrong. */
function withoutChallenge(response: JsonSchema): JsonSchema {
  const { "WWW-Authenticate": _, ...headers } = response.headers as JsonSchema;
  return { ...response, headers };
}

const pathParameter = (name: string): JsonSchema => ({
  name,
  in: "path",
  required: true,
  ...(name === "id"
    ? { description: "Id of the reserved upload.", schema: { type: "string", pattern: AssetId.pattern } }
    : {
        description: "Expiry and signature, as in the returned URL.",
        schema: { type: "string", pattern: "^\\d{1,15}-[\\w-]{1,64}$" },
      }),
});

const headerParameter = (name: TusHeader, required: boolean): JsonSchema => ({
  name,
  in: "header",
  required,
  ...describeHeader(tusHeaders[name]),
});

const describeHeaders = (names: readonly TusHeader[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, describeHeader(tusHeaders[name])]));

const describeHeader = ({ description, example }: HeaderText): JsonSchema => ({
  description,
  schema: typeof example === "number" ? { type: "integer", format: "int64", minimum: 0 } : { type: "string" },
  example,
});

const digest = {
  schema: {
    type: "object",
    required: ["size", "sha256"],
    properties: {
      size: { type: "integer", format: "int64", description: "In bytes." },
      sha256: { type: "string", description: "In hex." },
    },
  },
  example: { size: 18, sha256: "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069" },
};
