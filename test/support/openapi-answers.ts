/**
 * Holds every answer of the API against what /openapi.json says of it: its status is listed, its body fits
 * the schema, and has no member that the schema does not name.
 */
import { expect } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { DescriptionContext } from "../../src/context.ts";
import { editionOf } from "../../src/deprecation.ts";
import { paths } from "../../src/info.ts";
import { checker } from "../../src/lib/validate.ts";
import { httpOperations } from "../../src/operations/index.ts";
import { openapi } from "../../src/well-known/openapi.ts";
import type { Asked } from "./harness.ts";

type Json = Record<string, unknown>;

interface Answer {
  $ref?: string;
  content?: Json;
  headers?: Json;
}
interface Operation {
  operationId: string;
  responses: Record<string, Answer>;
}
type Servers = { url: string }[];

export interface Described {
  servers: Servers;
  paths: Record<string, { servers?: Servers } & Record<string, Operation>>;
  components: { responses: Record<string, Answer>; schemas: Json };
}

/** Whether the document may say something of what is at a path. */
const isDescribed = (path: string): boolean => path.startsWith(paths.api) || path.startsWith(paths.webhook);

type Held = ReturnType<typeof describedBy>;
/** Deployments that are described alike are held against one reading of it. */
const known = new Map<string, Held>();

/** Holds every answer of an app against what its own document says. */
export function holding(
  site: DescriptionContext,
): (path: string, init: Asked, response: Response) => Promise<void> {
  let read: { edition: string; held: Held } | undefined;
  return async (path, init, response) => {
    if (!isDescribed(path)) return;
    const edition = editionOf(site);
    if (read?.edition !== edition) {
      const text = JSON.stringify(openapi(site));
      const held = known.get(text) ?? describedBy(JSON.parse(text));
      known.set(text, held);
      read = { edition, held };
    }
    await read.held(path, init.method ?? (init.json === undefined ? "GET" : "POST"), copyOf(response), init);
  };
}

/** To be looked at; of a stream only its head, as it does not end. */
export const copyOf = (response: Response): Response =>
  response.headers.get("content-type") === "text/event-stream"
    ? new Response(null, response)
    : response.clone();

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

  const baseOf = (servers: Servers): string =>
    new URL((servers[0] as Servers[0]).url).pathname.replace(/\/$/, "");
  const items = Object.entries(document.paths)
    .map(([path, { servers, ...operations }]) => ({
      path,
      operations: operations as Record<string, Operation>,
      shape: new RegExp(`^${(baseOf(servers ?? document.servers) + path).replace(/\{\w+\}/g, "[^/]+")}$`),
    }))
    // A path without parameters goes before one that has them.
    .toSorted((one, other) => Number(one.path.includes("{")) - Number(other.path.includes("{")));

  /** Holds one answer of an operation, found by its lower-case method, against what is said of it. */
  async function hold(
    where: string,
    path: string,
    method: string,
    { responses }: Operation,
    response: Response,
  ): Promise<void> {
    const media = response.headers.get("content-type")?.split(";")[0] ?? "";
    const said = responses[response.status];
    if (!said) throw new Error(`${where} is not described`);
    const name = said.$ref?.split("/").at(-1);
    const resolved = name ? document.components.responses[name] : said;
    const place = name
      ? `/components/responses/${name}`
      : `/paths/${escaped(path)}/${method}/responses/${response.status}`;
    if (!resolved || (media === "" ? resolved.content : !resolved.content?.[media]))
      throw new Error(`${where}: ${media} is not described`);
    for (const header of Object.keys(resolved.headers ?? {})) {
      if (response.headers.get(header) === null)
        throw new Error(`${where}: the header ${header} is described and not there`);
    }
    if (media === "" || media === "text/event-stream") return;
    const body = await response.json();
    const validate = validator(`${place}/content/${escaped(media)}/schema`);
    if (!validate(body))
      throw new Error(
        `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`,
      );
    const row = httpOperations.find(
      ({ http }) => http.path === path && http.method.toLowerCase() === method && !http.unlisted,
    );
    if (response.ok && row && !checker(row.output).Check(body))
      throw new Error(`${where}: the body does not fit the operation's own schema`);
  }

  /** @returns the operations that the document says may answer so */
  return async (path: string, method: string, response: Response, init: Asked = {}): Promise<string[]> => {
    const where = `${method} ${path} ${JSON.stringify(init.json ?? null).slice(0, 200)} → ${response.status}`;
    const media = response.headers.get("content-type")?.split(";")[0] ?? "";
    if (response.status >= 400) expect([where, media]).toEqual([where, "application/problem+json"]);
    const [plainPath = ""] = path.split("?", 1);
    // The JSON body of `POST /assets` is that of another operation, which the document has at a path of its
    // own.
    const isByType =
      method === "POST" && plainPath === `${paths.api}/assets` && mediaSent(init) === "application/json";
    const item = items.find(({ shape }) => shape.test(isByType ? `${plainPath}/presign` : plainPath));
    if (!item || method === "HEAD") return [];
    const asked = item.operations[method.toLowerCase()];
    // What a path answers to a method that it does not have is said of each that it has.
    const meant = Object.entries(item.operations).filter(([, one]) => asked === undefined || one === asked);
    if (asked === undefined && response.status !== 405) return [];
    for (const [name, operation] of meant) await hold(where, item.path, name, operation, response.clone());
    return meant.map(([, { operationId }]) => operationId);
  };
}

const mediaSent = ({ headers, json }: Asked): string | null =>
  new Headers(headers).get("content-type") ?? (json === undefined ? null : "application/json");

const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The same document, with every object closed: what is not named there must not be sent. */
function closed<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === "object" && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}
