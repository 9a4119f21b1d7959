/**
 * Requests to every operation of the OpenAPI document: right ones, each then bent in its path, query, fields
 * and body.
 */
import fc, { type Arbitrary } from "fast-check";
import type { TestRequest } from "../support/harness.ts";
import { anyValue, hostileText, type Known, resolved, type Schema, type Shapes } from "./schema.ts";

export interface Document {
  servers: Place[];
  paths: Record<string, { servers?: Place[] } & { [method in Method]?: Described }>;
  components: { schemas: Shapes };
}

type Method = "get" | "post" | "put";
interface Place {
  url: string;
}

interface Described {
  operationId: string;
  parameters: { name: string; in: "path" | "query" | "header"; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface FuzzedRequest extends TestRequest {
  path: string;
  method: string;
  headers: Record<string, string>;
}

const share = <T>(often: Arbitrary<T>, ...seldom: Arbitrary<T>[]): Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: often }, ...seldom.map((arbitrary) => ({ weight: 1, arbitrary })));

/** What a field of a request can carry, so that it gets there at all. */
const fieldText = hostileText.map((text) =>
  text
    .replace(/[^\x20-\x7e]/g, "")
    .trim()
    .slice(0, 2_000),
);

const otherHeaders: Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    "accept",
    "accept-encoding",
    "if-none-match",
    "range",
    "origin",
    "cookie",
    "x-forwarded-for",
    "x-csrf-token",
    "last-event-id",
    "via",
  ),
  fieldText,
  { maxKeys: 2 },
);

/** Any request to any operation. @param tokens of callers; most requests come with the first */
export function anyRequest(
  document: Document,
  existing: Known,
  tokens: [string, ...string[]],
): Arbitrary<FuzzedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    (["get", "post", "put"] as const).flatMap((method) => {
      const { servers = document.servers, [method]: described } = methods;
      const place = new URL(servers[0]?.url ?? "").pathname.replace(/\/$/, "") + path;
      return described ? [requestTo(document, existing, place, method.toUpperCase(), described)] : [];
    }),
  );
  const authorization = share(
    fc.constant(`Bearer ${tokens[0]}`),
    fc.constantFrom(...tokens.map((token) => `Bearer ${token}`), "", "Bearer", "Basic eDp5"),
    fieldText,
  );
  return fc
    .tuple(fc.oneof(...operations, ...elsewhere()), authorization, share(fc.constant({}), otherHeaders))
    .map(([request, credentials, more]) => ({
      ...request,
      headers: { ...more, ...request.headers, ...(credentials && { authorization: credentials }) },
    }));
}

function requestTo(
  { components }: Document,
  existing: Known,
  path: string,
  method: string,
  described: Described,
): Arbitrary<FuzzedRequest> {
  const { parameters, requestBody } = described;
  const shapes = components.schemas;
  const inPath = parameters.filter((one) => one.in === "path");
  const segments = fc.tuple(
    ...inPath.map(({ name, schema }) =>
      share(anyValue(schema, shapes, existing, name).map(textOf), hostileText),
    ),
  );
  const query = queryOf(
    parameters.filter((one) => one.in === "query"),
    shapes,
    existing,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(([media, { schema }]) =>
    media === "multipart/form-data" ? formOf(schema, shapes, existing) : jsonOf(schema, shapes, existing),
  );
  const body = bodies.length
    ? share(fc.oneof(...bodies), noBody)
    : method === "GET"
      ? noBody
      : share(noBody, rawBody);
  const request = share(
    fc.constant(method),
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  );
  return fc.tuple(segments, query, body, request).map(([values, search, sent, verb]) => {
    const at = values.reduce<string>(
      (text, value, index) => text.replace(`{${inPath[index]?.name}}`, () => encoded(value)),
      path,
    );
    const bodiless = verb === "GET" || verb === "HEAD";
    return {
      path: at + search,
      method: verb,
      headers: bodiless ? {} : sent.headers,
      ...(!bodiless && sent.body !== null && { body: sent.body }),
    };
  });
}

/** An object may have no way to become text by itself. */
const textOf = (fields: unknown): string => (typeof fields === "string" ? fields : JSON.stringify(fields));

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replace(/^\.{1,2}$/, "%2e");

function queryOf(parameters: Described["parameters"], shapes: Shapes, existing: Known): Arbitrary<string> {
  const one = (name: string, value: Arbitrary<unknown>) =>
    value.map((fields) => `${name}=${encoded(textOf(fields))}`);
  const right = fc.tuple(
    ...parameters.map(({ name, schema }) =>
      fc.option(one(name, anyValue(schema, shapes, existing, name)), { freq: 1 }),
    ),
  );
  const odd = fc.array(
    fc.oneof(
      one("limit", hostileText),
      one("unknown", hostileText),
      fieldText.map((text) => text.replace(/[#\\]/g, "")),
    ),
    {
      maxLength: 2,
    },
  );
  return fc.tuple(right, share(fc.constant<string[]>([]), odd)).map(([credentials, more]) => {
    const all = [...credentials.filter((text) => text !== null), ...more];
    return all.length ? `?${all.join("&")}` : "";
  });
}

interface Sent {
  body: string | Uint8Array<ArrayBuffer> | null;
  headers: Record<string, string>;
}
const noBody: Arbitrary<Sent> = fc.constant({ body: null, headers: {} });
const media = (type: string): Arbitrary<Record<string, string>> =>
  share(fc.constant(type), fc.constantFrom("", "text/plain", "application/x-www-form-urlencoded")).map(
    (fields) => (fields ? { "content-type": fields } : {}),
  );
const rawBody: Arbitrary<Sent> = fc.record({
  body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)),
  headers: media("application/json"),
});

/**
 * JSON, now and then cut, doubled, nested deep, with bytes of no text, or with members that are nobody's
 * business.
 */
function jsonOf(schema: Schema, shapes: Shapes, existing: Known): Arbitrary<Sent> {
  const right = anyValue(schema, shapes, existing).map((value) => JSON.stringify(value));
  const bent = fc
    .tuple(right, fc.nat(), fc.constantFrom("cut", "twice", "deep", "bytes", "members"))
    .map(([text, at, how]) => {
      if (how === "cut") return text.slice(0, at % (text.length + 1));
      if (how === "twice") return text + text;
      if (how === "deep") return `${"[".repeat(at % 20_000)}${text}`;
      if (how === "members")
        return text.replace(
          "{",
          '{"__proto__":{"id":1},"constructor":1,"status":"published","id":"x","created_by":"human:eve",',
        );
      return Uint8Array.from(
        Buffer.concat([
          Buffer.from(text.slice(0, at % (text.length + 1))),
          Buffer.from([0xff, 0xc0, 0x80]),
          Buffer.from(text),
        ]),
      );
    });
  return fc.record({
    body: share<string | Uint8Array<ArrayBuffer>>(right, bent),
    headers: media("application/json"),
  });
}

/** A form by hand, so that it can be wrong where a client library would be right. */
function formOf(schema: Schema, shapes: Shapes, existing: Known): Arbitrary<Sent> {
  const fields = Object.entries(resolved(schema, shapes).properties ?? {}).filter(
    ([name]) => name !== "file",
  );
  const field = fc.oneof(
    ...fields.map(([name, one]) =>
      anyValue(one, shapes, existing, name).map((value) => part(name, textOf(value))),
    ),
  );
  const filePart = fc
    .tuple(hostileText, fc.uint8Array({ maxLength: 300 }))
    .map(([name, bytes]) => part("file", Buffer.from(bytes).toString("latin1"), name));
  // A file that is looked at costs a child process, so few forms are whole.
  const parts = fc.array(
    share(
      field,
      hostileText.map((text) => text),
      fc.constant(part("project", "atlas")),
    ),
    { maxLength: 5 },
  );
  const end = share(fc.constant("--b--\r\n"), fc.constantFrom("", "--b", "--b-", "--c--\r\n", "\r\n"));
  const whole = fc
    .tuple(parts, fc.option(filePart, { freq: 1 }), end, fc.integer({ min: 0, max: 29 }))
    .map(([some, file, tail, chance]) => {
      const rest = chance === 0 ? part("project", "atlas") : "";
      return Uint8Array.from(Buffer.from(`${rest}${some.join("")}${file ?? ""}${tail}`, "latin1"));
    });
  return fc.record({ body: whole, headers: media("multipart/form-data; boundary=b") });
}

const part = (name: string, value: string, filename?: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n${value}\r\n`;

/**
 * What the document does not list: byte routes, documents, pages, deliveries, tools, and what is not there at
 * all.
 */
function elsewhere(): Arbitrary<FuzzedRequest>[] {
  const places = [
    "/api/assets/view/",
    "/api/assets/bundle/",
    "/media/",
    "/site/",
    "/projects/",
    "/assets/",
    "/docs/",
    "/web/",
    "/.well-known/",
    "/api/v1/",
    "/",
  ];
  const somewhere = fc
    .tuple(fc.constantFrom(...places), fc.array(hostileText, { maxLength: 3 }))
    .map(([place, texts]) => place + texts.map(encoded).join("/"));
  const read = fc.record({
    path: somewhere,
    method: fc.constantFrom("GET", "HEAD", "OPTIONS"),
    headers: fc.constant({}),
  });
  const written = fc
    .tuple(
      fc.oneof(
        somewhere,
        fc.constantFrom("/mcp", "/api/hooks/github", "/sign-in", "/api/assets/upload/x/1-a/b"),
      ),
      rawBody,
    )
    .map(([path, { body, headers }]) => ({ path, method: "POST", headers, ...(body !== null && { body }) }));
  return [read, written];
}
