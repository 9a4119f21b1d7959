/** Properties derived from an operation, for OpenAPI and the docs. */
import type { TSchema } from "@sinclair/typebox";
import type { HttpBinding, Operation } from "../../core/operation.ts";
import { type Status, statuses } from "../../core/problem.ts";

export type HttpOperation = Operation & { http: HttpBinding };

export const requestMediaType = ({ http }: HttpOperation): string => http.media ?? "application/json";

/** Part of the request that carries an input field. */
export type FieldLocation = "path" | "header" | "query" | "body";

/** The name of an input field in a request: of its header or path parameter, else its own. */
export const wireName = ({ http }: HttpOperation, name: string): string =>
  http.headers?.[name] ?? http.params?.[name] ?? name;

/** Where a request carries a field: path, query, or body. */
export function fieldLocation({ http }: HttpOperation, name: string): FieldLocation {
  if (http.path.includes(`{${http.params?.[name] ?? name}}`)) return "path";
  if (http.headers?.[name]) return "header";
  return http.method === "GET" || http.media === null ? "query" : "body";
}

/** Who may call an operation, as a sentence. @param isPublic no token is required on this deployment */
export function describeAccess({ token, scope }: HttpOperation, isPublic: boolean): string {
  if (token === "any") return "Any valid token.";
  if (token === "admin") return "Only for a token with the role `admin`.";
  if (scope === "public") return "Always public.";
  return `Scope \`${scope}\`${isPublic ? " (not required on this deployment: public read is on)" : ""}.`;
}

/** The schema of the rows that an operation also returns as CSV. */
export const csvRowSchema = ({ http, output }: HttpOperation): TSchema =>
  output.properties[http.csv ?? ""].items;

/** The fields that a request carries in its body. */
export const bodyFields = (op: HttpOperation): string[] =>
  Object.keys(op.input.properties).filter((name) => fieldLocation(op, name) === "body");

export interface ErrorConditions {
  /** No token is required. */
  isPublic: boolean;
  /** The rate limit applies. */
  isRateLimited: boolean;
  /** The operation is deprecated. */
  isDeprecated: boolean;
}

/** Lists every error status that an operation can return. */
export function errorStatuses(
  op: HttpOperation,
  { isPublic, isRateLimited, isDeprecated }: ErrorConditions,
): Status[] {
  const conditions: [boolean, ...Status[]][] = [
    [true, 405, 500, 503, ...(op.http.errors ?? [])],
    [Object.keys(op.input.properties).length > 0, 400],
    [!isPublic, 401, 403],
    [op.writes === true, 501],
    [bodyFields(op).length > 0, 413, 415],
    // The number of streams per client is limited even without a rate limit.
    [isRateLimited || op.http.stream === true, 429],
    [isDeprecated, 410],
  ];
  return (Object.keys(statuses).map(Number) as Status[]).filter((status) =>
    conditions.some(([applies, ...list]) => applies && list.includes(status)),
  );
}
