/**
 * Calls of the S3 protocol, signed, each with an end. They go through `fetch` and not through Bun's S3
 * client: that one cannot be cut off, so calls to a silent peer pile up until no request of the process gets
 * out any more; it has neither conditional writes nor copies; and it hides the status that tells what may be
 * tried again.
 */
import { type Problem, unavailable } from "../problem.ts";
import { InactivityTimeout, semaphore } from "./inactivity-timeout.ts";
import { encodeKey, encodeSegment } from "./keys.ts";
import { type Credentials, canonicalQuery, sha256, signHeaders, signUrl } from "./sigv4.ts";

export interface S3Location extends Credentials {
  /** `https://host[/path]`, followed by the bucket. */
  endpoint: string;
  bucket: string;
  /** Put before every key, without slashes around it. */
  prefix?: string;
}

/** How long a store may take. */
export interface S3Timeouts {
  /**
   * Until a call has its answer, all attempts together; and between two signs of life where many bytes move.
   */
  responseMs: number;
  /** For a call that follows another one: a check, a clean-up. Both together stay under ten seconds. */
  followUpMs: number;
  /** Attempts of a call, and the wait before the second one, doubled for each further one. */
  attempts: number;
  retryMs: number;
}

export const defaultTimeouts: S3Timeouts = {
  responseMs: 7_000,
  followUpMs: 2_500,
  attempts: 3,
  retryMs: 100,
};

/** Any of them may be repeated: what writes is conditional, or ends up the same. */
export interface S3Call {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** None: the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** The hash of a body that is large. */
  sha256?: string;
  /** Statuses besides 2xx that the caller reads. */
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
  /** Where the bucket's objects are read without a signature, if it lets the world in. */
  readonly baseUrl: string;
  /** What the bucket calls the object. */
  nameOf(key: string): string;
  /** An answer read whole. */
  call(call: S3Call): Promise<S3Response>;
  /** An answer whose body is still to come, under a watch that its reader ends. */
  open(call: S3Call): Promise<{ response: Response; timeout: InactivityTimeout }>;
  /** Address of a call for somebody else to make, with these headers. */
  signedUrl(call: Pick<S3Call, "method" | "key" | "headers">, expiresSeconds: number): string;
}

/**
 * The process makes 256 requests at a time, whoever asks. With these limits two stores that hang, or whose
 * readers do, leave room for others, and readers leave room for the calls that writes are made of.
 */
const parallelCalls = 40;
const parallelReads = 80;

/** A store that answers so may do it at the next attempt. */
const retryableStatuses = new Set([429, 500, 502, 503, 504]);
/** Bytes go out in pieces, each a sign of life. */
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

/** What every answer of S3 has; a page of somebody else does not. */
export function requireValue(value: string | null | undefined): string {
  if (!value) throw unavailable("The store's response is not valid S3. Check its endpoint.");
  return value;
}

export const errorCode = (text: string): string | undefined =>
  /<Error>.*?<Code>(\w{1,64})<\/Code>/s.exec(text)?.[1];

/** What went wrong, for the log; never an address or a signature. */
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

/** A store that copies for long sends spaces meanwhile. */
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
