/**
 * Checks every API response against /openapi.json: the status is listed, the body matches the schema, and it
 * has no field that the schema does not name.
 */
import { expect } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { httpOperations } from "../../../src/api/operations/index.ts";
import { openapi } from "../../../src/api/well-known/openapi.ts";
import type { Config } from "../../../src/core/config.ts";
import type { DescriptionContext } from "../../../src/core/context.ts";
import { deprecationEdition } from "../../../src/core/deprecation.ts";
import { paths } from "../../../src/core/info.ts";
import { checker } from "../../../src/core/lib/validate.ts";
import { signedFilePath } from "../../../src/library/assets/files/signed-urls.ts";
import type { TestRequest } from "../harness.ts";

type Json = Record<string, unknown>;

interface Answer {
  $ref?: string;
  content?: Record<string, { schema: Json }>;
  headers?: Json;
}
interface Operation {
  operationId: string;
  responses: Record<string, Answer>;
}
type Servers = { url: string }[];

export interface OpenapiDocument {
  servers: Servers;
  paths: Record<string, { servers?: Servers } & Record<string, Operation>>;
  components: { responses: Record<string, Answer>; schemas: Json };
}

/** Whether the document can describe this path. */
const isDescribed = (path: string): boolean =>
  [
    ...[paths.api, `${paths.hooks}/`, `${paths.otlp}/v1/`, `${signedFilePath}/upload/`],
    ...[paths.litellm, `${paths.langfuse}/`],
  ].some((start) => path.startsWith(start));

/** The method, or the one that a client behind a proxy names instead. */
const methodOf = ({ method, json, headers }: TestRequest): string =>
  new Headers(headers).get("x-http-method-override") ?? method ?? (json === undefined ? "GET" : "POST");

type Validator = ReturnType<typeof openapiValidator>;
/** Compiled validators by document, shared by deployments with the same document. */
const validators = new Map<string, Validator>();
/** The same validators by what a document is generated from: generating it takes longer than most tests. */
const validatorsBySource = new Map<string, Validator>();
/** The variables that a document is generated from. Others differ in each test, such as the port of a bucket. */
const describedVariables = new Set<keyof Config>();

function validatorOf(site: DescriptionContext, edition: string): Validator {
  const sourceOf = () => {
    const variables = [...describedVariables].map((name) => [name, site.config[name]]);
    return JSON.stringify([variables, site.deprecations, edition]);
  };
  const known = validatorsBySource.get(sourceOf());
  if (known) return known;
  const config = new Proxy(site.config, {
    get(target, name: keyof Config) {
      describedVariables.add(name);
      return target[name];
    },
  });
  const text = JSON.stringify(openapi({ ...site, config }));
  const validator = validators.get(text) ?? openapiValidator(JSON.parse(text));
  validators.set(text, validator);
  validatorsBySource.set(sourceOf(), validator);
  return validator;
}

/** Returns a function that checks a response of the app against its own document. */
export function openapiChecker(
  site: DescriptionContext,
): (path: string, init: TestRequest, response: Response) => Promise<void> {
  let current: { edition: string; validate: Validator } | undefined;
  return async (path, init, response) => {
    if (!isDescribed(path)) return;
    const edition = deprecationEdition(site);
    if (current?.edition !== edition) current = { edition, validate: validatorOf(site, edition) };
    await current.validate(path, methodOf(init), cloneForCheck(response), init);
  };
}

/** Clones a response. A stream is cloned without its body, which does not end. */
export const cloneForCheck = (response: Response): Response =>
  response.headers.get("content-type") === "text/event-stream"
    ? new Response(null, response)
    : response.clone();

interface SchemaCompiler {
  ajv: Ajv2020;
  compile(schema: unknown): ValidateFunction;
}
const compilers = new Map<string, SchemaCompiler>();

/** The compiler of documents with these components, which differ in little else: compiling takes longest. */
function compilerOf(schemas: Json): SchemaCompiler {
  const text = JSON.stringify(schemas);
  const known = compilers.get(text);
  if (known) return known;
  // A schema checks a few answers only: compiling it costs more. The linters check the document itself.
  const quick = { inlineRefs: false, code: { optimize: false }, validateSchema: false };
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...quick });
  addFormats(ajv);
  ajv.addSchema(closed({ components: { schemas } }), "openapi");
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: unknown): ValidateFunction => {
    const source = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/');
    const validate = compiled.get(source) ?? ajv.compile(closed(JSON.parse(source)));
    compiled.set(source, validate);
    return validate;
  };
  const compiler = { ajv, compile };
  compilers.set(text, compiler);
  return compiler;
}

/** Compiles a document. The returned function throws if a response does not match it. */
export function openapiValidator(document: OpenapiDocument) {
  const { ajv, compile } = compilerOf(document.components.schemas);
  const validators = new Map<string, ValidateFunction>();
  const validator = (place: string, schema: unknown): ValidateFunction => {
    const existing = validators.get(place) ?? compile(schema);
    validators.set(place, existing);
    return existing;
  };

  const baseOf = (servers: Servers): string =>
    new URL((servers[0] as Servers[0]).url).pathname.replace(/\/$/, "");
  const items = Object.entries(document.paths)
    .map(([path, { servers, ...operations }]) => ({
      path,
      operations: operations as Record<string, Operation>,
      shape: new RegExp(`^${(baseOf(servers ?? document.servers) + path).replace(/\{\w+\}/g, "[^/]+")}$`),
    }))
    // Paths without parameters take precedence (OpenAPI 3.1, Paths Object).
    .toSorted((one, other) => Number(one.path.includes("{")) - Number(other.path.includes("{")));

  /** Checks one response of an operation. @param method in lower case */
  async function hold(
    where: string,
    path: string,
    method: string,
    { responses }: Operation,
    response: Response,
  ): Promise<void> {
    const media = response.headers.get("content-type")?.split(";")[0] ?? "";
    const described = responses[response.status];
    if (!described) throw new Error(`${where} is not described`);
    const name = described.$ref?.split("/").at(-1);
    const resolved = name ? document.components.responses[name] : described;
    const place = name ?? `${method} ${path} ${response.status}`;
    const isHead = method === "head"; // without a body
    if (!resolved || (!isHead && (media === "" ? resolved.content : !resolved.content?.[media])))
      throw new Error(`${where}: ${media} is not described`);
    for (const header of Object.keys(resolved.headers ?? {})) {
      if (response.headers.get(header) === null)
        throw new Error(`${where}: the documented header ${header} is missing`);
    }
    if (
      isHead ||
      response.headers.has("content-encoding") ||
      ["", "text/event-stream", "text/csv", "application/x-protobuf"].includes(media)
    )
      return;
    const body = await response.json();
    const validate = validator(`${place} ${media}`, resolved.content?.[media]?.schema);
    if (!validate(body))
      throw new Error(
        `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`,
      );
    const row = httpOperations.find(
      ({ http }) => http.path === path && http.method.toLowerCase() === method && !http.unlisted,
    );
    if (response.ok && row && !checker(row.output).Check(body))
      throw new Error(`${where}: the body does not match the operation's own schema`);
  }

  /** @returns ids of the operations that document this response */
  return async (
    path: string,
    method: string,
    response: Response,
    init: TestRequest = {},
  ): Promise<string[]> => {
    const where = `${method} ${path} ${JSON.stringify(init.json ?? null).slice(0, 200)} → ${response.status}`;
    const media = response.headers.get("content-type")?.split(";")[0] ?? "";
    const [plainPath = ""] = path.split("?", 1);
    // Errors of telemetry are in the encoding of the request; `hold` checks which are described.
    const isTelemetry = [paths.otlp, `${paths.langfuse}/otel`].some((start) => plainPath.startsWith(start));
    if (response.status >= 400 && !isTelemetry)
      expect([where, media]).toEqual([where, "application/problem+json"]);
    // `POST /assets` with a JSON body is another operation, which the document lists under its own path.
    const isByType =
      method === "POST" && plainPath === `${paths.api}/assets` && mediaSent(init) === "application/json";
    const item = items.find(({ shape }) => shape.test(isByType ? `${plainPath}/presign` : plainPath));
    if (!item || (method === "HEAD" && !item.operations.head)) return [];
    const requested = item.operations[method.toLowerCase()];
    // Every operation of a path documents the 405 for the methods that the path lacks.
    const matching = Object.entries(item.operations).filter(([, operation]) =>
      requested ? operation === requested : operation.responses[405],
    );
    if (requested === undefined && response.status !== 405) return [];
    for (const [name, operation] of matching) await hold(where, item.path, name, operation, response.clone());
    return matching.map(([, { operationId }]) => operationId);
  };
}

const mediaSent = ({ headers, json }: TestRequest): string | null =>
  new Headers(headers).get("content-type") ?? (json === undefined ? null : "application/json");

/** Sets `additionalProperties: false` on every object, so that undocumented fields fail. */
function closed<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === "object" && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}
