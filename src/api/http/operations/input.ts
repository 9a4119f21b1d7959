/** Reads the input of an operation from a request, before schema validation. */

import type { TObject } from "@sinclair/typebox";
import { perObject } from "../../../core/lib/cache.ts";
import type { FormPart } from "../../../core/lib/http/file-form.ts";
import { bodyBytesMax, parseJson, readBytes, requireJson } from "../../../core/lib/http/request-body.ts";
import { urlEncodedPairs } from "../../../core/lib/http/url-encoding.ts";
import { normalizeUnicode } from "../../../core/lib/strings/nfc.ts";
import { fromText } from "../../../core/lib/validate.ts";
import type { HttpBinding } from "../../../core/operation.ts";
import { badRequest, notFound } from "../../../core/problem.ts";
import { pathOf } from "../api-middleware.ts";

import { formParts } from "./form.ts";
import { readParts } from "./multipart.ts";

/** The parts of a form, else the input fields from the body or query, then the headers, then the path. */
export async function readInput(
  http: HttpBinding,
  schema: TObject,
  request: Request,
  params: PathParameters,
): Promise<Map<string, unknown> | AsyncIterable<FormPart>> {
  requireDecoded(params, request.url);
  if (http.media === "multipart/form-data") return formParts(readParts(request));
  const input = await readBodyOrQuery(http, schema, request);
  for (const [field, header] of Object.entries(http.headers ?? {})) {
    const value = request.headers.get(header);
    if (value !== null) input.set(field, fromText(schema.properties[field], value));
  }
  for (const [name, value] of Object.entries(params)) {
    const field = fieldsOfParams(http).get(name) ?? name;
    input.set(field, fromText(schema.properties[field], value));
  }
  return input;
}

const fieldsOfParams = perObject(
  ({ params = {} }: HttpBinding) => new Map(Object.entries(params).map(([field, param]) => [param, field])),
);

async function readBodyOrQuery(
  http: HttpBinding,
  schema: TObject,
  request: Request,
): Promise<Map<string, unknown>> {
  if (http.method === "GET") return readQuery(request.url, schema);
  const isAbsent = http.media === null || (http.hasOptionalBody && request.body === null);
  return isAbsent ? new Map() : readJson(request, http.bodyBytesMax ?? bodyBytesMax);
}

/**
 * Fields of the query string. Unknown parameters are ignored.
 * @throws {Problem} 400 for one that is repeated or not UTF-8
 */
function readQuery(url: string, schema: TObject): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  const start = url.indexOf("?");
  if (start < 0) return fields;
  const isField = (name: string) => Object.hasOwn(schema.properties, name);
  for (const [name, value] of urlEncodedPairs(url.slice(start), isField)) {
    if (fields.has(name)) throw badRequest(`${name} can be given only once.`);
    fields.set(name, fromText(schema.properties[name], normalizeUnicode(value)));
  }
  return fields;
}

/**
 * Members of a JSON object body, with text normalized to NFC. Call it only after the scope check: the body of
 * an authorized caller gets a larger memory budget.
 */
export async function readJson(request: Request, bytesMax: number): Promise<Map<string, unknown>> {
  requireJson(request);
  const value = parseJson(await readBytes(request, bytesMax, null));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest("The body must be a JSON object.");
  return new Map(Object.entries(value));
}

/** Against its types, Elysia has null for a parameter that is not percent-encoded UTF-8. */
type PathParameters = Readonly<Record<string, string | null>>;

/**
 * @throws {Problem} 404 if a parameter could not be decoded, as null would count as not given; or has a NUL
 * character, which no name has and Postgres does not take
 */
export function requireDecoded(
  params: PathParameters,
  url: string,
): asserts params is Record<string, string> {
  if (Object.values(params).some((value) => value === null || value.includes("\0")))
    throw notFound(`Path not found: ${pathOf(url)}`);
}
