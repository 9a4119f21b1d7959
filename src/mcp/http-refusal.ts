/**
 * Refusals of `/mcp` as a client of JSON-RPC reads them: an error with the id of its request, beside the
 * status and the headers.
 */
import { mediaTypeOf, parseJson, readBytes } from "../lib/request-body.ts";
import type { ProblemDocument } from "../problem.ts";

/** JSON-RPC 2.0, 5.1. */
const invalidRequest = -32600;
const internalError = -32603;

/** A longer body is not read for its id: who is refused must not cost more than who is served. */
const bodyBytesMax = 16 * 2 ** 10;

/**
 * A problem document as a JSON-RPC error with the document as its data; anything else as it is.
 * @param address of the client: what it is refused for may be that it has no token
 */
export async function asRpcError(request: Request, response: Response, address: string): Promise<Response> {
  if (mediaTypeOf(response) !== "application/problem+json") return response;
  const { status, headers } = response;
  const problem = (await response.json()) as ProblemDocument;
  const wait = headers.get("retry-after");
  const error = {
    code: status < 500 ? invalidRequest : internalError,
    message: [
      problem.detail ?? problem.title,
      ...(wait === null ? [] : [`Try again in ${wait} seconds.`]),
    ].join(" "),
    data: { ...problem, ...(wait !== null && { retry_after: Number(wait) }) },
  };
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: await idOf(request, address), error }), {
    status,
    headers,
  });
}

/** Id of the request in a body that was not read yet; null where it cannot be told. */
async function idOf(request: Request, address: string): Promise<string | number | null> {
  if (request.bodyUsed || !request.body) return null;
  try {
    const message = parseJson(await readBytes(request, bodyBytesMax, address));
    const { id } = (message ?? {}) as { id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
