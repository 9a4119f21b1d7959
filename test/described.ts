/**
 * Holds every answer of the API against what /openapi.json says of it: its status is listed, its body fits the schema, and
 * has no member that the schema does not name.
 */
import { expect } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { checker } from "../src/check.ts";
import { httpOperations } from "../src/operations/index.ts";
import type { Asked, TestApp } from "./harness.ts";

type Json = Record<string, unknown>;

export interface Described {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, { $ref?: string; content?: Json; headers?: Json }> }>
  >;
  components: { responses: Record<string, { content: Json; headers: Json }>; schemas: Json };
}

/** `app.ask`, with every answer below /api/v1 checked. */
export async function askDescribed(app: TestApp): Promise<TestApp["ask"]> {
  const document = (await (await app.ask("/openapi.json")).json()) as Described;
  const check = describedBy(document);
  return async (path, init) => {
    const response = await app.ask(path, init);
    await check(path, init?.method ?? (init?.json === undefined ? "GET" : "POST"), response.clone(), init);
    return response;
  };
}

/** Throws where an answer is not as the document says. */
export function describedBy(document: Described) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(closed(document), "openapi");
  const validators = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, known);
    return known;
  };

  return async (path: string, method: string, response: Response, init: Asked = {}): Promise<void> => {
    // Rows of one method and path differ in what they take and answer.
    const rows = httpOperations.filter(
      ({ http }) => http.method === (method === "HEAD" ? "GET" : method) && shape(http.path).test(path.split("?", 1)[0] as string),
    );
    const [row] = rows;
    const described = row && document.paths[row.http.path]?.[row.http.method.toLowerCase()];
    const where = `${method} ${path} ${JSON.stringify(init.json ?? null).slice(0, 200)} → ${response.status}`;
    const media = response.headers.get("content-type")?.split(";")[0] ?? "";
    if (response.status >= 400) {
      expect([where, media]).toEqual([where, "application/problem+json"]);
    }
    if (!described || method === "HEAD" || media === "text/event-stream") return;
    const said = described.responses[response.status];
    if (!said) throw new Error(`${where} is not described`);
    const name = said.$ref?.split("/").at(-1);
    const resolved = name ? document.components.responses[name] : said;
    const place = name
      ? `/components/responses/${name}`
      : `/paths/${escaped(row.http.path)}/${row.http.method.toLowerCase()}/responses/${response.status}`;
    if (!resolved?.content?.[media]) throw new Error(`${where}: ${media} is not described`);
    for (const header of Object.keys(resolved.headers ?? {})) {
      if (response.headers.get(header) === null) throw new Error(`${where}: the header ${header} is described and not there`);
    }
    const body = await response.json();
    const validate = validator(`${place}/content/${escaped(media)}/schema`);
    if (!validate(body)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`);
    if (response.ok && !rows.some(({ output }) => checker(output).Check(body)))
      throw new Error(`${where}: the body does not fit the operation's own schema`);
  };
}

const shape = (path: string): RegExp => new RegExp(`^/api/v1${path.replaceAll("/", "\\/").replace(/\{\w+\}/g, "[^/]+")}$`);
const escaped = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The same document, with every object closed: what is not named there must not be sent. */
function closed<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === "object" && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}
