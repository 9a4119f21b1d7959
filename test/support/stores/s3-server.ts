/**
 * A store that speaks S3: path style, signatures checked, objects on disk, so that large ones cost no memory.
 * It can be told to misbehave. What a real store answers, it answers alike; `SVC_TEST_S3_ENDPOINT` puts a
 * real one in its place where no fault is asked of it.
 */
import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deletePrefix } from "../../../src/files/stores/objects.ts";
import type { S3Location } from "../../../src/files/stores/s3/location.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import { bodyOf } from "./s3-body.ts";
import { type Account, checkSignature, type Promised, S3Failure } from "./s3-signature.ts";
import { layWire, type Wire } from "./s3-wire.ts";

/** A request as a fault may pick it. */
export interface RecordedCall {
  method: string;
  bucket: string;
  /** Empty for a request to the bucket. */
  key: string;
  query: Map<string, string>;
  headers: Headers;
  /** Its bytes are those of another object. */
  copies: boolean;
}

export type Fault =
  /** Answers nothing, ever. */
  | "hang"
  /** Breaks the connection: before anything is done, or after all of it. */
  | "reset"
  | "reset after"
  /** Sends the first bytes of the answer, then ends; or is silent. */
  | "short"
  | "stall"
  /** Sends it slowly; what comes with a PUT is taken slowly. */
  | "slow"
  /** Takes two seconds to put the parts of an object together, or to tell of an object. */
  | "late"
  /** Puts the parts of an object together without a word for three seconds. */
  | "silent"
  /** The page of another server, 200. */
  | "page"
  /** Says it did, and did not. */
  | "pretend"
  /** A size that is not the object's. */
  | "wrong size"
  /** Writes again what is there. */
  | "overwrite"
  /** This status, with an error in XML. */
  | number
  /** This in place of the answer. */
  | ((reply: Response) => Response);

/** A bucket and the keys to it. */
export type S3Place = S3Location &
  Required<Pick<S3Location, "accessKeyId" | "secretAccessKey" | "partBytesMin">>;

export interface S3Server {
  place: S3Place;
  /** Every request so far, `PUT key ?query`. */
  requests: string[];
  /** By their names in the bucket. */
  objects: Map<string, { size: number; headers: Record<string, string>; etag: string }>;
  /** Multipart uploads that were not completed. */
  unfinished(): number;
  /** Connections that are open just now. */
  connections(): number;
  /** Misbehaves where `picks` says so, `times` times. */
  fault(fault: Fault, picks: (input: RecordedCall) => boolean, times?: number): void;
  heal(): void;
  close(): Promise<void>;
}

interface Stored {
  path: string;
  size: number;
  etag: string;
  /** What came with it, and goes out with it. */
  headers: Record<string, string>;
  modified: Date;
}

interface Unfinished {
  key: string;
  headers: Record<string, string>;
  initiated: Date;
  parts: Map<number, Stored>;
}

const bucket = "a-bucket";
/** A real store takes no smaller parts than 5 MiB; here small ones save the tests most of their bytes. */
export const partBytesMin = (process.env.SVC_TEST_S3_ENDPOINT ? 5 : 1) * 2 ** 20;
const slowBytesPerSecond = { GET: 50_000, PUT: 8_000_000 };
/** Of an answer that ends early: its head, and a little more. */
const firstBytes = 1000;

export interface S3ServerOptions {
  /** Public objects. */
  public?: boolean;
  prefix?: string;
  now?: () => Date;
  /** A page of a list is no longer than this. */
  pageKeysMax?: number;
  /** Origins whose pages may PUT, as the bucket's rules say; by default any. */
  pages?: string[];
}

export async function startS3(options: S3ServerOptions = {}): Promise<S3Server> {
  const { now = () => new Date(), prefix = "", pageKeysMax = 1000, pages } = options;
  const account: Account = {
    accessKeyId: "AKTESTTESTTEST",
    secretAccessKey: "a secret/of+40 characters",
    region: "eu-test-1",
  };
  const folder = await mkdtemp(join(tmpdir(), "svc-s3-"));
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, Unfinished>();
  const requests: string[] = [];
  let faults: { fault: Fault; picks: (input: RecordedCall) => boolean; left: number }[] = [];

  async function write(source: AsyncIterable<Uint8Array>, headers: Record<string, string>): Promise<Stored> {
    const path = join(folder, crypto.randomUUID());
    const md5 = createHash("md5");
    let size = 0;
    const handle = await open(path, "wx");
    try {
      for await (const chunk of source) {
        md5.update(chunk);
        await handle.write(chunk, 0, chunk.length, size);
        size += chunk.length;
      }
    } catch (error) {
      await rm(path);
      throw error;
    } finally {
      await handle.close();
    }
    return { path, size, etag: `"${md5.digest("hex")}"`, headers, modified: now() };
  }

  async function keep(key: string, object: Stored, conditions: Headers, overwrite: boolean): Promise<void> {
    const there = objects.get(key);
    if (there && conditions.get("if-none-match") === "*" && !overwrite) {
      await rm(object.path);
      throw new S3Failure(412, "PreconditionFailed");
    }
    objects.set(key, object); // current readers keep the file of the old object
  }

  function objectOf(key: string): Stored {
    const object = objects.get(key);
    if (!object) throw new S3Failure(404, "NoSuchKey");
    return object;
  }

  function uploadOf({ key, query }: RecordedCall): [string, Unfinished] {
    const id = query.get("uploadId") ?? "";
    const upload = uploads.get(id);
    if (upload?.key !== key) throw new S3Failure(404, "NoSuchUpload");
    return [id, upload];
  }

  /** The bytes of a PUT: its body, or those of another object. */
  function sourceOf(request: Request, promised: Promised): AsyncIterable<Uint8Array> {
    const copied = request.headers.get("x-amz-copy-source");
    if (copied === null) return bodyOf(request, promised);
    const [, from, key = ""] = /^\/?([^/]+)\/(.+)$/.exec(decodeURIComponent(copied)) ?? [];
    if (from !== bucket) throw new S3Failure(404, "NoSuchBucket");
    const object = objectOf(key);
    const match = request.headers.get("x-amz-copy-source-if-match");
    if (match && match !== object.etag) throw new S3Failure(412, "PreconditionFailed");
    const range = request.headers.get("x-amz-copy-source-range");
    if (range !== null && object.size <= partBytesMin) throw new S3Failure(400, "InvalidRequest");
    const [, start = "0", end = String(object.size - 1)] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    return Bun.file(object.path)
      .slice(Number(start), Number(end) + 1)
      .stream();
  }

  async function put(
    asked: RecordedCall,
    request: Request,
    promised: Promised,
    fault: Fault | undefined,
  ): Promise<Response> {
    const number = Number(asked.query.get("partNumber") ?? "0");
    const upload = number ? uploadOf(asked)[1] : null;
    const object = await write(sourceOf(request, promised), keptHeaders(request));
    const { etag } = object;
    if (fault === "pretend") await rm(object.path);
    else if (upload) upload.parts.set(number, object);
    else await keep(asked.key, object, request.headers, fault === "overwrite");
    if (!request.headers.has("x-amz-copy-source")) return new Response(null, { headers: { etag } });
    return xml(
      `<Copy${upload ? "Part" : "Object"}Result><ETag>${escapeXml(etag)}</ETag></Copy${upload ? "Part" : "Object"}Result>`,
    );
  }

  async function post(
    asked: RecordedCall,
    request: Request,
    promised: Promised,
    fault: Fault | undefined,
  ): Promise<Response> {
    const body = await textOf(bodyOf(request, promised));
    if (asked.query.has("uploads")) {
      const id = crypto.randomUUID();
      uploads.set(id, { key: asked.key, headers: keptHeaders(request), initiated: now(), parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    const [id, upload] = uploadOf(asked);
    const named = [...body.matchAll(/<Part>(.*?)<\/Part>/gs)];
    const parts = named.map(([, text = ""]) => {
      const [, etag = ""] = /<ETag>([^<]*)<\/ETag>/.exec(text) ?? [];
      const [, number] = /<PartNumber>(\d+)<\/PartNumber>/.exec(text) ?? [];
      const part = upload.parts.get(Number(number));
      if (!part || part.etag !== unescapeXml(etag)) throw new S3Failure(400, "InvalidPart");
      return part;
    });
    if (parts.length === 0) throw new S3Failure(400, "MalformedXML");
    if (parts.slice(0, -1).some((part) => part.size < partBytesMin))
      throw new S3Failure(400, "EntityTooSmall");
    if (request.headers.get("if-none-match") === "*" && objects.has(asked.key) && fault !== "overwrite")
      throw new S3Failure(412, "PreconditionFailed");
    uploads.delete(id);
    const whole = async () => {
      const object = await joined(parts, upload.headers, now());
      if (fault !== "pretend") await keep(asked.key, object, request.headers, fault === "overwrite");
      return `<CompleteMultipartUploadResult><ETag>${escapeXml(object.etag)}</ETag></CompleteMultipartUploadResult>`;
    };
    const completed = fault === "late" ? Bun.sleep(2000).then(whole) : whole();
    if (fault === "reset after") await completed; // else the connection breaks before the work is done
    return xmlWhenDone(completed);
  }

  function get({ key }: RecordedCall, request: Request): Response {
    const object = objectOf(key);
    const { etag, size } = object;
    const match = request.headers.get("if-match");
    if (match && match !== etag) throw new S3Failure(412, "PreconditionFailed");
    const headers = {
      ...object.headers,
      etag,
      "last-modified": object.modified.toUTCString(),
      "accept-ranges": "bytes",
    };
    if (request.method === "HEAD")
      return new Response(null, { headers: { ...headers, "content-length": String(size) } });
    const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
    if (start === undefined) return new Response(Bun.file(object.path), { headers });
    const last = Math.min(end ? Number(end) : size - 1, size - 1);
    if (Number(start) > last) throw new S3Failure(416, "InvalidRange");
    const part = Bun.file(object.path).slice(Number(start), last + 1);
    return new Response(part, {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${start}-${last}/${size}` },
    });
  }

  function listParts(asked: RecordedCall): Response {
    const { query } = asked;
    const after = Number(query.get("part-number-marker") ?? "0");
    const limit = Math.min(pageKeysMax, Number(query.get("max-parts") ?? "1000"));
    const rest = [...uploadOf(asked)[1].parts].sort(([a], [b]) => a - b).filter(([number]) => number > after);
    const page = rest.slice(0, limit).map(([number, { size, etag, modified }]) => {
      const at = modified.toISOString();
      return `<Part><PartNumber>${number}</PartNumber><LastModified>${at}</LastModified><ETag>${escapeXml(etag)}</ETag><Size>${size}</Size></Part>`;
    });
    return xml(
      `<ListPartsResult><IsTruncated>${rest.length > limit}</IsTruncated>${page.join("")}</ListPartsResult>`,
    );
  }

  function list({ query }: RecordedCall): Response {
    const limit = Math.min(pageKeysMax, Number(query.get("max-keys") ?? query.get("max-uploads") ?? "1000"));
    const under = query.get("prefix") ?? "";
    if (query.has("uploads")) {
      const all = [...uploads]
        .filter(([, { key }]) => key.startsWith(under))
        .sort(([a, one], [b, other]) => byBytes(one.key, other.key) || byBytes(a, b));
      const [keyMarker, idMarker = ""] = [query.get("key-marker"), query.get("upload-id-marker")];
      const rest = all.filter(
        ([id, { key }]) =>
          keyMarker === undefined ||
          byBytes(key, keyMarker) > 0 ||
          (key === keyMarker && byBytes(id, idMarker) > 0),
      );
      const page = rest
        .slice(0, limit)
        .map(
          ([id, { key, initiated }]) =>
            `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
        );
      return xml(
        `<ListMultipartUploadsResult><IsTruncated>${rest.length > limit}</IsTruncated>${page.join("")}</ListMultipartUploadsResult>`,
      );
    }
    const after = query.get("continuation-token") ?? query.get("start-after");
    const rest = [...objects.keys()]
      .filter((key) => key.startsWith(under) && (!after || byBytes(key, after) > 0))
      .sort(byBytes);
    const page = rest.slice(0, limit).map((key) => {
      const { size, etag, modified } = objectOf(key);
      return `<Contents><Key>${escapeXml(key)}</Key><Size>${size}</Size><ETag>${escapeXml(etag)}</ETag><LastModified>${modified.toISOString()}</LastModified></Contents>`;
    });
    const more = rest.length > limit;
    const next = more
      ? `<NextContinuationToken>${escapeXml(rest[limit - 1] as string)}</NextContinuationToken>`
      : "";
    const counts = `<Name>${bucket}</Name><KeyCount>${page.length}</KeyCount><MaxKeys>${limit}</MaxKeys><IsTruncated>${more}</IsTruncated>`;
    return xml(`<ListBucketResult>${counts}${next}${page.join("")}</ListBucketResult>`);
  }

  async function remove(asked: RecordedCall): Promise<Response> {
    if (asked.query.has("uploadId")) {
      const [id, { parts }] = uploadOf(asked);
      uploads.delete(id);
      await Promise.all([...parts.values()].map(({ path }) => rm(path)));
    } else {
      const there = objects.get(asked.key);
      objects.delete(asked.key);
      if (there) await rm(there.path);
    }
    return new Response(null, { status: 204 });
  }

  async function answer(asked: RecordedCall, request: Request, fault: Fault | undefined): Promise<Response> {
    const reading = request.method === "GET" || request.method === "HEAD";
    const anonymous = !request.headers.has("authorization") && !asked.query.has("X-Amz-Signature");
    if (anonymous && options.public && reading && asked.key) return get(asked, request);
    const promised = checkSignature(request, account, now());
    if (asked.bucket !== bucket) throw new S3Failure(404, "NoSuchBucket");
    if (!asked.key && request.method === "GET") return list(asked);
    if (!asked.key) throw new S3Failure(405, "MethodNotAllowed");
    if (reading && asked.query.has("uploadId")) return listParts(asked);
    if (reading) return get(asked, request);
    if (request.method === "PUT") return put(asked, request, promised, fault);
    if (request.method === "POST") return post(asked, request, promised, fault);
    if (request.method === "DELETE") return remove(asked);
    throw new S3Failure(405, "MethodNotAllowed");
  }

  /** What a browser hears when a page elsewhere asks (Fetch, 3.2). */
  function allowance(request: Request): Record<string, string> {
    const origin = request.headers.get("origin");
    if (origin === null || (pages && !pages.includes(origin))) return {};
    const headers = request.headers.get("access-control-request-headers") ?? "";
    return {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "PUT",
      "access-control-allow-headers": headers,
    };
  }

  /** The next fault of this request, if there is one left for it. */
  function faultOf(asked: RecordedCall): Fault | undefined {
    const found = faults.find(({ picks, left }) => left > 0 && picks(asked));
    if (found) found.left--;
    return found?.fault;
  }

  let wire: Wire;
  const server = Bun.serve({
    ...{
      hostname: "127.0.0.1",
      port: 0,
      development: false,
      idleTimeout: 0,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    },
    async fetch(request, connection) {
      const call = askedOf(request);
      requests.push(`${call.method} ${call.key} ${[...call.query.keys()].join("&")}`.trim());
      const fault = faultOf(call);
      const port = connection.requestIP(request)?.port as number;
      if (fault === "hang") return new Promise<Response>(() => {});
      if (fault === "reset") {
        wire.reset(port);
        return new Promise<Response>(() => {});
      }
      if (fault === "page")
        return new Response("<!doctype html><title>Welcome</title>", {
          headers: { "content-type": "text/html" },
        });
      if (typeof fault === "number")
        return failure(request, new S3Failure(fault, fault === 503 ? "SlowDown" : "AccessDenied"));
      const allowed = allowance(request);
      if (call.method === "OPTIONS")
        return new Response(null, {
          status: allowed["access-control-allow-origin"] ? 200 : 403,
          headers: allowed,
        });
      if (fault === "late" && call.method === "HEAD") await Bun.sleep(2000);
      if (fault === "silent") await Bun.sleep(3000);
      if (fault === "slow") wire.slow(port, slowBytesPerSecond[request.method === "PUT" ? "PUT" : "GET"]);
      const response = await answer(call, request, fault).catch((error) => failure(request, error));
      for (const [name, value] of Object.entries(allowed)) response.headers.set(name, value);
      if (typeof fault === "function") return fault(response);
      if (fault === "reset after") wire.reset(port);
      if (fault === "short") wire.passOnly(port, firstBytes, "end");
      if (fault === "stall") wire.passOnly(port, firstBytes, "silence");
      if (fault === "wrong size") response.headers.set("content-length", "7");
      return response;
    },
  });
  wire = await layWire(server.port as number);

  return {
    place: { ...account, bucket, prefix, partBytesMin, endpoint: `http://127.0.0.1:${wire.port}` },
    requests,
    objects,
    unfinished: () => uploads.size,
    connections: () => wire.open(),
    fault: (fault, picks, times = Number.POSITIVE_INFINITY) =>
      void faults.push({ fault, picks, left: times }),
    heal() {
      faults = [];
      wire.hurry();
    },
    async close() {
      await wire.close();
      await server.stop(true);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function askedOf(request: Request): RecordedCall {
  const at = request.url.indexOf("/", "http://".length);
  const [path = "", search = ""] = request.url.slice(at).split("?");
  const [, named = "", key = ""] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? [];
  const query = new Map([...new URLSearchParams(search.replaceAll("+", "%2B"))]);
  const { method, headers } = request;
  return {
    method,
    bucket: named,
    key: decodeURIComponent(key),
    query,
    headers,
    copies: headers.has("x-amz-copy-source"),
  };
}

export interface Bucket {
  place: S3Place;
  close(): Promise<void>;
}

/**
 * A place for the objects of a test: in the bucket of `SVC_TEST_S3_ENDPOINT`, under a prefix of its own, or
 * on a server started for it.
 */
export async function freshBucket(): Promise<Bucket> {
  const {
    SVC_TEST_S3_ENDPOINT: endpoint,
    SVC_TEST_S3_BUCKET,
    S3_REGION,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
  } = process.env;
  if (!endpoint) return startS3({ prefix: "some/where" });
  const place = {
    ...{
      endpoint,
      bucket: SVC_TEST_S3_BUCKET ?? "svc-test",
      prefix: `test-${crypto.randomUUID()}`,
      partBytesMin,
    },
    ...{
      region: S3_REGION ?? "us-east-1",
      accessKeyId: S3_ACCESS_KEY_ID ?? "",
      secretAccessKey: S3_SECRET_ACCESS_KEY ?? "",
    },
  };
  return { place, close: () => deletePrefix(s3Store(place), "") };
}

/** The parts in one file, the first one's. */
async function joined(parts: Stored[], headers: Stored["headers"], modified: Date): Promise<Stored> {
  const [first, ...rest] = parts as [Stored, ...Stored[]];
  const md5 = createHash("md5").update(
    Buffer.concat(parts.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex"))),
  );
  let { size } = first;
  const handle = await open(first.path, "r+");
  try {
    for (const part of rest) {
      for await (const chunk of Bun.file(part.path).stream()) {
        await handle.write(chunk, 0, chunk.length, size);
        size += chunk.length;
      }
      await rm(part.path);
    }
  } finally {
    await handle.close();
  }
  return { path: first.path, size, etag: `"${md5.digest("hex")}-${parts.length}"`, headers, modified };
}

/** Those of a PUT that every answer with the object has. */
function keptHeaders({ headers }: Request): Record<string, string> {
  const type = headers.get("content-type") ?? "application/octet-stream";
  const others = ["cache-control", "content-disposition"].flatMap((name) =>
    headers.has(name) ? [[name, headers.get(name)]] : [],
  );
  return { "content-type": type, ...Object.fromEntries(others) };
}

const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`, {
    status,
    headers: { "content-type": "application/xml" },
  });

/** What takes long begins with 200 and spaces, and may still fail. */
function xmlWhenDone(work: Promise<string>): Response {
  const result = work.catch((error: S3Failure) => errorXml(error));
  let begun = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const done = begun
        ? await Promise.race([result, Bun.sleep(500)])
        : '<?xml version="1.0" encoding="UTF-8"?>';
      controller.enqueue(Buffer.from(done ?? " "));
      if (begun && done !== undefined) controller.close();
      begun = true;
    },
  });
  return new Response(body, { headers: { "content-type": "application/xml" } });
}

function failure(request: Request, error: unknown): Response {
  if (!(error instanceof S3Failure)) throw error;
  return request.method === "HEAD"
    ? new Response(null, { status: error.status })
    : xml(errorXml(error), error.status);
}

const errorXml = ({ code, message }: S3Failure) =>
  `<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;

const escapeXml = (text: string): string => text.replace(/[<>&"]/g, (char) => `&#${char.charCodeAt(0)};`);
const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|quot|amp);/g, (entity, number) =>
    number ? String.fromCharCode(number) : entity === "&amp;" ? "&" : '"',
  );

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
