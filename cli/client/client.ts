/**
 * The typed client of the API. Its types are generated from the service's own OpenAPI document
 * (`generate.ts`), so a call that compiles is one that the document allows.
 */
import createClient, { type Client, type FetchResponse } from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

export type Api = Client<paths>;
export type Schemas = components["schemas"];

export interface ConnectOptions {
  /** The site, such as `https://svc.test`. */
  url: string;
  token: string | undefined;
  fetch?: (request: Request) => Promise<Response>;
}

export function connect({ url, token, fetch }: ConnectOptions): Api {
  return createClient<paths>({
    baseUrl: `${url.replace(/\/+$/, "")}/api/v1`,
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch && { fetch }),
  });
}

/** What the service refused, or that it does not answer. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The data of an answer, or its problem as an error. */
export async function said<T extends Record<string | number, unknown>, O, M extends `${string}/${string}`>(
  call: Promise<FetchResponse<T, O, M>>,
): Promise<NonNullable<FetchResponse<T, O, M>["data"]>> {
  const { data, error, response } = await call;
  if (data !== undefined) return data as NonNullable<typeof data>;
  const detail = (error as { detail?: string } | undefined)?.detail;
  throw new ApiError(response.status, detail ?? `the service answered ${response.status}`);
}
