/**
 * Errors of `/mcp` as JSON-RPC: an error object with the id of the request, in addition to the HTTP status
 * and headers.
 */
import { mediaTypeOf, parseJson, readBytes } from "../../core/lib/http/request-body.ts";
import type { ProblemDocument } from "../../core/problem.ts";

/** Error codes of JSON-RPC 2.0, section 5.1. */
const invalidRequest = -32600;
const internalError = -32603;

/** Longest body that is read for its id, so that a rejected request does not cost more than a served one. */
const bodyBytesMax = 16 * 2 ** 10;

/**
 * Converts a problem document into a JSON-RPC error with the document as its data. Returns other responses
 * unchanged. @param address IP address of the client, which may be unauthenticated
 */
export async function toRpcError(request: Request, response: Response, address: string): Promise<Response> {
  if (mediaTypeOf(response) !== "application/problem+json") return response;
  const { status, headers } = response;
  const problem = (await response.json()) as ProblemDocument;
  const wait = headers.get("retry-after");
  const text = problem.detail ?? problem.title;
  const error = {
    code: status < 500 ? invalidRequest : internalError,
    message: wait === null ? text : withWait(text, wait),
    data: { ...problem, ...(wait !== null && { retry_after: Number(wait) }) },
  };
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: await readRequestId(request, address), error }), {
    status,
    headers,
  });
}

/** Says once how long to wait: a text can say it already, or end with a vaguer "Try again in a moment." */
const withWait = (text: string, seconds: string): string =>
  /try again in \d/i.test(text)
    ? text
    : `${text.replace(/\s*Try again[^.]*\.$/, "")} Try again in ${seconds} seconds.`;

/** Reads the request id from a body that has not been read yet; null if there is none. */
async function readRequestId(request: Request, address: string): Promise<string | number | null> {
  if (request.bodyUsed || !request.body) return null;
  try {
    const message = parseJson(await readBytes(request, bodyBytesMax, address));
    const { id } = (message ?? {}) as { id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
