/**
 * The typed client of the API. Its types are generated from the OpenAPI document (`generate.ts`), so that a
 * call that compiles is a call the API accepts.
 */
import createClient, { type Client, type FetchResponse } from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

/** An operation that also answers in CSV answers in JSON here: the client does not ask for anything else. */
export type Api = Client<paths, "application/json">;
export type Schemas = components["schemas"];

export interface ConnectOptions {
  /** The URL of the server, such as `https://svc.test`. */
  url: string;
  token: string | undefined;
  fetch?: (request: Request) => Promise<Response>;
}

/** Creates a client for one server. */
export function connect({ url, token, fetch }: ConnectOptions): Api {
  return createClient<paths, "application/json">({
    querySerializer: { array: { style: "form", explode: false } },
    baseUrl: `${url.replace(/\/+$/, "")}/api/v1`,
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch && { fetch }),
  });
}

/** An error response: its HTTP status, and the `detail` of its problem document as the message. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    message: string,
    /** Path, relative to `/api/v1`, that lists what exists of what was not found; undefined if it has none. */
    readonly collection?: string,
  ) {
    super(message);
  }
}

/** Returns the data of a response, or throws an `ApiError`. */
export async function unwrap<T extends Record<string | number, unknown>, O, M extends `${string}/${string}`>(
  call: Promise<FetchResponse<T, O, M>>,
): Promise<NonNullable<FetchResponse<T, O, M>["data"]>> {
  const { data, error, response } = await call;
  if (data !== undefined) return data as NonNullable<typeof data>;
  const detail = (error as { detail?: string } | undefined)?.detail;
  throw new ApiError(
    response.status,
    detail ?? `The server responded with status ${response.status}.`,
    /<\/api\/v1([^>]*)>; rel="collection"/.exec(response.headers.get("link") ?? "")?.[1],
  );
}
