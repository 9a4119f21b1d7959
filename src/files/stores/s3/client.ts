/**
 * Requests to a bucket, each with a timeout. The AWS SDK sends all but the reads of objects: it finds the
 * credentials, signs, retries and reads responses. A read is signed and retried by the same parts of the SDK
 * but skips its layers, which cost more processor time than the rest of a read of 64 KiB
 * (`ARCHITECTURE.md` has the measurement).
 */
import type {
  $Command as Command,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-s3";
import { HttpRequest } from "@smithy/core/protocols";
import { untilAborted } from "../../../core/lib/until-aborted.ts";
import { InactivityTimeout, semaphore } from "../inactivity-timeout.ts";
import { encodeKey, encodeSegment } from "../keys.ts";
import { errorCode, type Rejected, rejectionOf, StatusError, storeProblem } from "./errors.ts";
import { defaultPartBytesMin, type S3Location, type S3Timeouts } from "./location.ts";
import { createSdk } from "./sdk.ts";
import { type HandlerOptions, readBody, sendRequest, urlOf } from "./transport.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  isFollowUp?: boolean;
  /** Bytes that the bucket copies before it answers. */
  copiedBytes?: number;
}

export type S3Command<I extends ServiceInputTypes, O extends ServiceOutputTypes> = Command<
  I,
  O,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

interface SignedPutOptions {
  /** To be sent exactly. */
  headers: Record<string, string>;
  query?: Record<string, string>;
  expiresSeconds: number;
}

export interface S3Client {
  readonly bucket: string;
  /** Base URL of unsigned reads, if the bucket is public. */
  readonly baseUrl: string;
  /** Size of the smallest part that the bucket takes, the last one aside. */
  readonly partBytesMin: number;
  /** Returns the object's name in the bucket: the key with the prefix. */
  nameOf(key: string): string;
  /** Returns the parameters that name an object in a command. */
  target(key: string): { Bucket: string; Key: string };
  /**
   * Sends a command of the SDK. All are safe to retry: writes are conditional or idempotent.
   * @throws {Problem} 503
   */
  send<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    command: S3Command<I, O>,
    options?: CallOptions,
  ): Promise<O>;
  /** The same, but returns a `Rejected` for these statuses and error codes. */
  trySend<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    command: S3Command<I, O>,
    expected: readonly (number | string)[],
    options?: CallOptions,
  ): Promise<O | Rejected>;
  /**
   * Requests an object and returns the response with its body unread. The reader must close the timeout.
   * @throws {Problem} 503
   */
  open(
    key: string,
    headers: Record<string, string>,
    expected: readonly number[],
  ): Promise<{ response: Response; timeout: InactivityTimeout }>;
  /** Returns a presigned URL to PUT an object, or a part of one, to. */
  signedPutUrl(key: string, options: SignedPutOptions): Promise<string>;
}

/**
 * Bun sends at most 256 requests at a time per process. With these limits two stores that hang, or whose
 * readers stall, leave room for other requests, and reads leave room for writes.
 */
const parallelCalls = 40;
const parallelReads = 80;
/**
 * What the slowest bucket copies. It may send nothing before it is done: completing an upload of 2 GiB has
 * taken one a minute on a busy disk.
 */
const copiedBytesPerMs = 20_000;

/** A client of one bucket. */
export function s3Client(location: S3Location, timeouts: S3Timeouts, now = () => new Date()): S3Client {
  const { bucket, partBytesMin = defaultPartBytesMin } = location;
  const { protocol, host, hostname, port, pathname, origin } = new URL(location.endpoint);
  const prefix = location.prefix ? `${location.prefix}/` : "";
  const root = `${pathname.replace(/\/+$/, "")}/${encodeSegment(bucket)}`;
  const nameOf = (key: string) => prefix + key;
  const permits = {
    call: semaphore(parallelCalls),
    read: semaphore(parallelReads),
    signature: async () => {},
  };
  const { client: sdk, signer, withRetries } = createSdk(location, timeouts, now);

  const objectRequest = (method: "GET" | "PUT", key: string, headers: Record<string, string>) =>
    new HttpRequest({
      method,
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: `${root}/${encodeKey(nameOf(key))}`,
      headers: { ...headers, host },
    });

  /** Runs `work` with a permit and a timeout, which ends it even where it waits for credentials. */
  async function limited<T>(
    operation: string,
    kind: keyof typeof permits,
    { signal, isFollowUp = false, copiedBytes = 0 }: CallOptions,
    work: (timeout: InactivityTimeout) => Promise<T>,
  ): Promise<{ result: T; timeout: InactivityTimeout }> {
    const waitMs = isFollowUp ? timeouts.followUpMs : timeouts.responseMs;
    const timeout = new InactivityTimeout(waitMs + copiedBytes / copiedBytesPerMs, signal);
    try {
      await permits[kind](timeout.signal);
      return { result: await untilAborted(work(timeout), timeout.signal), timeout };
    } catch (error) {
      const problem = storeProblem(operation, error, timeout.signal);
      timeout.close();
      signal?.throwIfAborted();
      throw problem;
    }
  }

  async function send<I extends ServiceInputTypes, O extends ServiceOutputTypes, R = never>(
    command: S3Command<I, O>,
    options: CallOptions = {},
    handle: (error: unknown) => R = (error) => {
      throw error;
    },
  ): Promise<O | R> {
    const operation = command.constructor.name.replace(/Command$/, "");
    const { result, timeout } = await limited(operation, "call", options, (timeout) => {
      const handlerOptions: HandlerOptions = { abortSignal: timeout.signal, timeout };
      return sdk.send(command, handlerOptions).catch(handle);
    });
    timeout.close();
    return result;
  }

  async function readOnce(
    key: string,
    headers: Record<string, string>,
    expected: readonly number[],
    timeout: InactivityTimeout,
  ): Promise<Response> {
    const request = objectRequest("GET", key, { ...headers, "x-amz-content-sha256": emptySha256 });
    const signed = await signer.sign(request, { signingDate: now() });
    const response = await sendRequest(new HttpRequest(signed), timeout);
    if (response.ok || expected.includes(response.status)) return response;
    throw new StatusError(response.status, errorCode(await readBody(response, timeout)));
  }

  return {
    bucket,
    partBytesMin,
    baseUrl: `${origin}${root}/${encodeKey(prefix)}`.replace(/\/$/, ""),
    nameOf,
    target: (key) => ({ Bucket: bucket, Key: nameOf(key) }),
    send,
    async trySend(command, expected, options) {
      return send(command, options, (error) => {
        const rejection = rejectionOf(error);
        if (rejection && expected.some((one) => one === rejection.status || one === rejection.code))
          return rejection;
        throw error;
      });
    },
    async open(key, headers, expected) {
      const { result, timeout } = await limited("GetObject", "read", {}, (timeout) =>
        withRetries(() => readOnce(key, headers, expected, timeout)),
      );
      return { response: result, timeout };
    },
    async signedPutUrl(key, { headers, query = {}, expiresSeconds }) {
      const request = objectRequest("PUT", key, { ...headers, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" });
      request.query = query;
      const { result, timeout } = await limited("presigned PutObject", "signature", {}, () =>
        signer.presign(request, { expiresIn: expiresSeconds, signingDate: now() }),
      );
      timeout.close();
      return urlOf(new HttpRequest(result));
    },
  };
}

const emptySha256 = new Bun.CryptoHasher("sha256").digest("hex");
