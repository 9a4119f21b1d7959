/**
 * Sends requests to a bucket with `fetch`, each with an inactivity timeout; also the request handler of the
 * AWS SDK. The SDK's own handler limits the whole time until a response begins, and the size of none: a large
 * part on a slow line fails, and so does an upload that takes a store long to complete.
 */
import { buildQueryString, type HttpRequest, HttpResponse } from "@smithy/core/protocols";
import { unavailable } from "../../../core/problem.ts";
import { InactivityTimeout } from "../inactivity-timeout.ts";
import { TransportError } from "./errors.ts";
import { defaultTimeouts } from "./location.ts";

/** Bodies are sent in chunks of this size, each of which resets the inactivity timeout. */
const chunkBytes = 256 * 1024;
const responseBytesMax = 4 * 2 ** 20;

/** Sends a signed request and returns the response with its body unread. */
export function sendRequest(request: HttpRequest, { signal }: InactivityTimeout): Promise<Response> {
  return fetch(urlOf(request), {
    method: request.method,
    headers: request.headers,
    body: (request.body as ReadableStream<Uint8Array> | undefined) ?? null,
    signal,
    redirect: "manual",
    decompress: false,
  }).catch((error: Error) => {
    throw new TransportError(error.message);
  });
}

/** Returns the URL of a request as it was signed. */
export function urlOf({ protocol, hostname, port, path, query }: HttpRequest): string {
  const search = buildQueryString(query);
  return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}${search && `?${search}`}`;
}

/** Options of one call of the SDK, which it passes to its request handler. */
export interface HandlerOptions {
  abortSignal: AbortSignal;
  timeout: InactivityTimeout;
}

/**
 * The request handler of the SDK. The credential chain uses it as well, for requests to STS, and passes no
 * timeout.
 */
export const sdkHandler = {
  metadata: { handlerProtocol: "http/1.1" },
  async handle(request: HttpRequest, options?: Partial<HandlerOptions>): Promise<{ response: HttpResponse }> {
    if (options?.timeout) return { response: await sendForSdk(request, options.timeout) };
    const timeout = new InactivityTimeout(defaultTimeouts.followUpMs, options?.abortSignal);
    try {
      return { response: await sendForSdk(request, timeout) };
    } finally {
      timeout.close();
    }
  },
  updateHttpClientConfig() {},
  httpHandlerConfigs: () => ({}),
};

async function sendForSdk(request: HttpRequest, timeout: InactivityTimeout): Promise<HttpResponse> {
  const body = request.body as Uint8Array | string | undefined;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes) request.headers["content-length"] = String(bytes.length);
  const response = await sendRequest(
    Object.assign(request.clone(), { body: bytes && streamOf(bytes, timeout) }),
    timeout,
  );
  return new HttpResponse({
    statusCode: response.status,
    headers: response.headers.toJSON(),
    body: await readBody(response, timeout),
  });
}

/** Reads a whole response. A store sends spaces during a long copy, which reset the timeout. */
export async function readBody({ body }: Response, timeout: InactivityTimeout): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      timeout.reset();
      bytes += chunk.length;
      if (bytes > responseBytesMax)
        throw unavailable("The store's response is too long. Check its endpoint.");
      chunks.push(chunk);
    }
  } catch (error) {
    throw bytes > responseBytesMax ? error : new TransportError((error as Error).message);
  }
  return Buffer.concat(chunks);
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
