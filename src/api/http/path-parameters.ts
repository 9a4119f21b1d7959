/** Parameters in the path of a route. */
import { notFound } from "../../core/problem.ts";
import { pathOf } from "./api-middleware.ts";

/** Against its types, Elysia has null for a parameter that is not percent-encoded UTF-8. */
export type PathParameters = Readonly<Record<string, string | null>>;

/**
 * @throws {Problem} 404 if a parameter could not be decoded, as null would count as not given; or has a NUL
 * character, which no name has and Postgres does not take
 */
export function requireDecoded(
  params: PathParameters,
  url: string,
): asserts params is Record<string, string> {
  if (Object.values(params).some((value) => value === null || value.includes("\0")))
    throw notFound(`Path not found: ${pathOf(url)}`);
}
