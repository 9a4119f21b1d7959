/** What can go wrong with a request to a bucket, as a Problem for the caller. */
import { Problem, unavailable } from "../../../core/problem.ts";

/** No response, or no complete one. `$retryable` tells the retry strategy of the SDK to try again. */
export class TransportError extends Error {
  readonly $retryable = {};
}

/** The store answered with a status that is no success. Has the shape of the errors of the SDK. */
export class StatusError extends Error {
  readonly $metadata: { httpStatusCode: number };
  constructor(httpStatusCode: number, code: string) {
    super(code);
    this.name = code;
    this.$metadata = { httpStatusCode };
  }
}

/** A rejection that the caller of `send` handles: the status, and the error code of S3. */
export class Rejected {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {}
}

/** Statuses of transient errors. */
const transientStatuses = new Set([429, 500, 502, 503, 504]);
const credentialErrors = new Set(["CredentialsProviderError", "TokenProviderError"]);

/** Returns the status and the code of an error response; null for any other error. */
export function rejectionOf(error: unknown): Rejected | null {
  const { name, $metadata } = error as Partial<StatusError>;
  const status = $metadata?.httpStatusCode;
  return status !== undefined && status >= 300 ? new Rejected(status, name ?? "") : null;
}

/**
 * Returns a Problem 503 whose cause is logged. The cause is a new error: those of the SDK hold the request
 * with its signature.
 * @param operation as S3 names it, such as `PutObject`
 * @param signal of the timeout of the request
 */
export function storeProblem(operation: string, error: unknown, signal: AbortSignal): Problem {
  if (error instanceof Problem) return error;
  const cause = (text: string) => new Error(`S3 ${operation} ${text}`);
  if (signal.aborted)
    return unavailable("The store is not responding.", cause(`failed: ${(signal.reason as Error).message}`));
  const { name, message } = error as Error;
  if (error instanceof TransportError)
    return unavailable("The store is not responding.", cause(`failed: ${message}`));
  if (credentialErrors.has(name))
    return unavailable(
      "There are no credentials for the store. Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, " +
        "or give this machine an IAM role.",
      cause(`found no credentials: ${message}`),
    );
  const rejection = rejectionOf(error);
  if (!rejection) return invalidResponse(cause(`failed: ${message}`));
  return unavailable(
    transientStatuses.has(rejection.status)
      ? "The store is not responding."
      : "The store rejected the request.",
    cause(`answered ${rejection.status} ${rejection.code}`.trimEnd()),
  );
}

const invalidResponse = (cause?: Error): Problem =>
  unavailable("The store's response is not valid S3. Check its endpoint.", cause);

/**
 * Returns a value that every S3 response has; throws a Problem 503 without it, as for a proxy's error page.
 */
export function requireValue<T>(value: T | null | undefined): T {
  if (value === null || value === undefined || value === "") throw invalidResponse();
  return value;
}

/** Returns the code of an error response, if it has one. */
export const errorCode = (body: Uint8Array): string =>
  /<Error>.*?<Code>(\w{1,64})<\/Code>/s.exec(Buffer.from(body).toString())?.[1] ?? "";
