/**
 * A client for signed S3 requests, each with a timeout. It uses `fetch`, not Bun's S3 client, which cannot be
 * aborted (requests to an unresponsive server pile up until the process can send none), supports neither
 * conditional writes nor copies, and hides the status that decides whether to retry.
 */
import { type Problem, unavailable } from "../../problem.ts";
import { InactivityTimeout, semaphore } from "../inactivity-timeout.ts";
import { encodeKey, encodeSegment } from "../keys.ts";
import { type Credentials, canonicalQuery, sha256, signHeaders, signUrl } from "./sigv4.ts";

export interface S3Location extends Credentials {
  /** `https://host[/path]`, followed by the bucket. */
  endpoint: string;
  bucket: string;
  /** Prefix of every key, without leading and trailing slash. */
  prefix?: string;
}

/** Timeouts and retries of requests to a store. */
export interface S3Timeouts {
  /** Time to a response over all attempts, and the inactivity timeout of large transfers. */
  responseMs: number;
  /** The same for a follow-up request, such as a check or a cleanup. Both together stay under ten seconds. */
  followUpMs: number;
  /** Maximum attempts, and the delay before the second one, doubled for each further one. */
  attempts: number;
  retryMs: number;
}

export const defaultTimeouts: S3Timeouts = {
  responseMs: 7_000,
  followUpMs: 2_500,
  attempts: 3,
  retryMs: 100,
};

/** A request. All are safe to retry: writes are conditional or idempotent. */
export interface S3Call {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Without a key: the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** The SHA-256 of the body in hex, if already known. */
  sha256?: string;
  /** Statuses other than 2xx that the caller handles. */
  expected?: number[];
  signal?: AbortSignal | undefined;
  isFollowUp?: boolean;
}

export interface S3Response {
  status: number;
  headers: Headers;
  text: string;
}

export interface S3Client {
  readonly bucket: string;
  /** Base URL of unsigned reads, if the bucket is public. */
  readonly baseUrl: string;
  /** Returns the object's name in the bucket: the key with the prefix. */
  nameOf(key: string): string;
  /** Sends a request and reads the whole response. */
  call(call: S3Call): Promise<S3Response>;
  /** Sends a request and returns the response with its body unread. The reader must close the timeout. */
  open(call: S3Call): Promise<{ response: Response; timeout: InactivityTimeout }>;
  /** Returns a presigned URL for a request with exactly these headers. */
  signedUrl(call: Pick<S3Call, "method" | "key" | "headers">, expiresSeconds: number): string;
}

/**
 * Bun sends at most 256 requests at a time per process. With these limits two stores that hang, or whose
 * readers stall, leave room for other requests, and reads leave room for writes.
 */
const parallelCalls = 40;
const parallelReads = 80;

/** Statuses of transient errors. */
const retryableStatuses = new Set([429, 500, 502, 503, 504]);
/** Bodies are sent in chunks of this size, each of which resets the inactivity timeout. */
const chunkBytes = 256 * 1024;
const responseBytesMax = 4 * 2 ** 20;

export function s3Client(location: S3Location, timeouts: S3Timeouts, now: () => Date): S3Client {
  const { origin, pathname } = new URL(location.endpoint);
  const prefix = location.prefix ? `${location.prefix}/` : "";
  const root = `${pathname.replace(/\/+$/, "")}/${encodeSegment(location.bucket)}`;
  const nameOf = (key: string) => prefix + key;
  const unsigned = ({ method, key, query = {}, headers = {} }: S3Call) => {
    return {
      method,
      origin,
      path: key === undefined ? root : `${root}/${encodeKey(nameOf(key))}`,
      query,
      headers,
    };
  };

  const acquire = { call: semaphore(parallelCalls), read: semaphore(parallelReads) };

  function attempt(call: S3Call, timeout: InactivityTimeout): Promise<Response> {
    const request = unsigned(call);
    const headers = signHeaders(request, call.sha256 ?? sha256(call.body ?? ""), location, now());
    const query = canonicalQuery(request.query);
    if (call.body) headers["content-length"] = String(call.body.length);
    return fetch(`${origin}${request.path}${query && `?${query}`}`, {
      method: call.method,
      headers,
      body: call.body ? streamOf(call.body, timeout) : null,
      signal: timeout.signal,
      redirect: "manual",
      decompress: false,
    });
  }

  async function open(
    call: S3Call,
    kind: "call" | "read",
  ): Promise<{ response: Response; timeout: InactivityTimeout }> {
    const timeout = new InactivityTimeout(
      call.isFollowUp ? timeouts.followUpMs : timeouts.responseMs,
      call.signal,
    );
    try {
      await acquire[kind](timeout.signal);
      for (let attempts = 1; ; attempts++) {
        const outcome = await attempt(call, timeout).catch((error: Error) => error);
        call.signal?.throwIfAborted();
        const isResponse = outcome instanceof Response;
        if (isResponse && (outcome.ok || call.expected?.includes(outcome.status)))
          return { response: outcome, timeout };
        const isFinal =
          timeout.signal.aborted ||
          attempts === timeouts.attempts ||
          (isResponse && !retryableStatuses.has(outcome.status));
        if (isFinal) throw await failure(call, outcome, timeout);
        if (isResponse) await outcome.body?.cancel();
        await pause(timeouts.retryMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2), timeout.signal);
      }
    } catch (error) {
      timeout.close();
      throw error;
    }
  }

  return {
    bucket: location.bucket,
    baseUrl: `${origin}${root}/${encodeKey(prefix)}`.replace(/\/$/, ""),
    nameOf,
    open: (call) => open(call, "read"),
    async call(call) {
      const { response, timeout } = await open(call, "call");
      try {
        return {
          status: response.status,
          headers: response.headers,
          text: await readText(response, timeout),
        };
      } catch (error) {
        call.signal?.throwIfAborted();
        throw await failure(call, error as Error, timeout);
      } finally {
        timeout.close();
      }
    },
    signedUrl: (call, expiresSeconds) => signUrl(unsigned(call), expiresSeconds, location, now()),
  };
}

/**
 * Returns a value that every S3 response has; throws a Problem 503 without it, as for a proxy's error page.
 */
export function requireValue(value: string | null | undefined): string {
  if (!value) throw unavailable("The store's response is not valid S3. Check its endpoint.");
  return value;
}

export const errorCode = (text: string): string | undefined =>
  /<Error>.*?<Code>(\w{1,64})<\/Code>/s.exec(text)?.[1];

/** Returns a Problem 503 whose cause is logged. Never includes a URL or a signature. */
async function failure(
  call: S3Call,
  outcome: Response | Error,
  timeout: InactivityTimeout,
): Promise<Problem> {
  if (!(outcome instanceof Response)) {
    const { message } = timeout.signal.aborted ? (timeout.signal.reason as Error) : outcome;
    return unavailable(
      "The store is not responding.",
      new Error(`S3 ${call.method}: ${message}`, { cause: outcome }),
    );
  }
  const code = errorCode(await readText(outcome, timeout).catch(() => "")) ?? "";
  const cause = new Error(`S3 ${call.method} answered ${outcome.status} ${code}`.trimEnd());
  return unavailable(
    retryableStatuses.has(outcome.status)
      ? "The store is not responding."
      : "The store rejected the request.",
    cause,
  );
}

/** Reads a response as text. A store sends spaces during a long copy, which reset the timeout. */
async function readText({ body }: Response, timeout: InactivityTimeout): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    timeout.reset();
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw new Error("the response is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function streamOf(bytes: Uint8Array, timeout: InactivityTimeout): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        timeout.reset();
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(at, (at += chunkBytes)));
      },
    },
    { highWaterMark: 0 },
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
