/**
 * Calls of the S3 protocol, signed, each with an end. They go through `fetch` and not through Bun's S3
 * client: that one cannot be cut off, so calls to a silent peer pile up until no request of the process gets
 * out any more; it has neither conditional writes nor copies; and it hides the status that tells what may be
 * tried again.
 */
import { type Problem, unavailable } from "../problem.ts";
import { turns, Watch } from "./inactivity-timeout.ts";
import { encodeKey, encodeSegment } from "./keys.ts";
import { type Credentials, queryText, sha256, signAddress, signHeaders } from "./sigv4.ts";

export interface S3Place extends Credentials {
  /** `https://host[/path]`, followed by the bucket. */
  endpoint: string;
  bucket: string;
  /** Put before every key, without slashes around it. */
  prefix?: string;
}

/** How long a store may take. */
export interface Patience {
  /**
   * Until a call has its answer, all attempts together; and between two signs of life where many bytes move.
   */
  answerMs: number;
  /** For a call that follows another one: a check, a clean-up. Both together stay under ten seconds. */
  afterMs: number;
  /** Attempts of a call, and the wait before the second one, doubled for each further one. */
  attempts: number;
  retryMs: number;
}

export const patient: Patience = { answerMs: 7_000, afterMs: 2_500, attempts: 3, retryMs: 100 };

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
  follows?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface S3Client {
  readonly bucket: string;
  /** Where the bucket's objects are read without a signature, if it lets the world in. */
  readonly base: string;
  /** What the bucket calls the object. */
  nameOf(key: string): string;
  /** An answer read whole. */
  call(call: S3Call): Promise<Answer>;
  /** An answer whose body is still to come, under a watch that its reader ends. */
  open(call: S3Call): Promise<{ response: Response; watch: Watch }>;
  /** Address of a call for somebody else to make, with these headers. */
  address(call: Pick<S3Call, "method" | "key" | "headers">, expiresSeconds: number): string;
}

/**
 * The process makes 256 requests at a time, whoever asks. With these limits two stores that hang, or whose
 * readers do, leave room for others, and readers leave room for the calls that writes are made of.
 */
const callsAtOnce = 40;
const readersAtOnce = 80;

/** A store that answers so may do it at the next attempt. */
const again = new Set([429, 500, 502, 503, 504]);
/** Bytes go out in pieces, each a sign of life. */
const pieceBytes = 256 * 1024;
const answerBytesMax = 4 * 2 ** 20;

export function s3Client(place: S3Place, patience: Patience, now: () => Date): S3Client {
  const { origin, pathname } = new URL(place.endpoint);
  const prefix = place.prefix ? `${place.prefix}/` : "";
  const root = `${pathname.replace(/\/+$/, "")}/${encodeSegment(place.bucket)}`;
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

  const takeTurn = { call: turns(callsAtOnce), read: turns(readersAtOnce) };

  function attempt(call: S3Call, watch: Watch): Promise<Response> {
    const request = unsigned(call);
    const headers = signHeaders(request, call.sha256 ?? sha256(call.body ?? ""), place, now());
    const query = queryText(request.query);
    if (call.body) headers["content-length"] = String(call.body.length);
    return fetch(`${origin}${request.path}${query && `?${query}`}`, {
      method: call.method,
      headers,
      body: call.body ? inPieces(call.body, watch) : null,
      signal: watch.signal,
      redirect: "manual",
      decompress: false,
    });
  }

  async function open(call: S3Call, as: "call" | "read"): Promise<{ response: Response; watch: Watch }> {
    const watch = new Watch(call.follows ? patience.afterMs : patience.answerMs, call.signal);
    try {
      await takeTurn[as](watch.signal);
      for (let tried = 1; ; tried++) {
        const outcome = await attempt(call, watch).catch((error: Error) => error);
        call.signal?.throwIfAborted();
        const answered = outcome instanceof Response;
        if (answered && (outcome.ok || call.expected?.includes(outcome.status)))
          return { response: outcome, watch };
        const hopeless =
          watch.signal.aborted || tried === patience.attempts || (answered && !again.has(outcome.status));
        if (hopeless) throw await refusal(call, outcome, watch);
        if (answered) await outcome.body?.cancel();
        await pause(patience.retryMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2), watch.signal);
      }
    } catch (error) {
      watch.end();
      throw error;
    }
  }

  return {
    bucket: place.bucket,
    base: `${origin}${root}/${encodeKey(prefix)}`.replace(/\/$/, ""),
    nameOf,
    open: (call) => open(call, "read"),
    async call(call) {
      const { response, watch } = await open(call, "call");
      try {
        return { status: response.status, headers: response.headers, text: await textOf(response, watch) };
      } catch (error) {
        call.signal?.throwIfAborted();
        throw await refusal(call, error as Error, watch);
      } finally {
        watch.end();
      }
    },
    address: (call, expiresSeconds) => signAddress(unsigned(call), expiresSeconds, place, now()),
  };
}

/** What every answer of S3 has; a page of somebody else does not. */
export function required(value: string | null | undefined): string {
  if (!value) throw unavailable("The store's response is not valid S3. Check its endpoint.");
  return value;
}

export const errorCode = (text: string): string | undefined =>
  /<Error>.*?<Code>(\w{1,64})<\/Code>/s.exec(text)?.[1];

/** What went wrong, for the log; never an address or a signature. */
async function refusal(call: S3Call, outcome: Response | Error, watch: Watch): Promise<Problem> {
  if (!(outcome instanceof Response)) {
    const { message } = watch.signal.aborted ? (watch.signal.reason as Error) : outcome;
    return unavailable(
      "The store is not responding.",
      new Error(`S3 ${call.method}: ${message}`, { cause: outcome }),
    );
  }
  const code = errorCode(await textOf(outcome, watch).catch(() => "")) ?? "";
  const cause = new Error(`S3 ${call.method} answered ${outcome.status} ${code}`.trimEnd());
  return unavailable(
    again.has(outcome.status) ? "The store is not responding." : "The store rejected the request.",
    cause,
  );
}

/** A store that copies for long sends spaces meanwhile. */
async function textOf({ body }: Response, watch: Watch): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    watch.touch();
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error("the response is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function inPieces(bytes: Uint8Array, watch: Watch): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        watch.touch();
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(at, (at += pieceBytes)));
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
