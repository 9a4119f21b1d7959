/** Properties derived from an operation, for OpenAPI and the docs. */
import { type Status, statuses } from "../problem.ts";
import type { HttpFacts, Operation } from "./operation.ts";

export type HttpOperation = Operation & { http: HttpFacts };

export const mediaOf = ({ http }: HttpOperation): string => http.media ?? "application/json";

/** Part of the request that carries an input field. */
export type Place = "path" | "header" | "query" | "body";

export function placeOf({ http }: HttpOperation, name: string): Place {
  if (http.path.includes(`{${name}}`)) return "path";
  if (http.headers?.[name]) return "header";
  return http.method === "GET" || http.media === null ? "query" : "body";
}

export const bodyFields = (op: HttpOperation): string[] =>
  Object.keys(op.input.properties).filter((name) => placeOf(op, name) === "body");

export interface Circumstances {
  /** No token is required. */
  open: boolean;
  /** The rate limit applies. */
  limited: boolean;
  /** The operation is deprecated. */
  retires: boolean;
}

/** Lists every error status that an operation can return. */
export function problemsOf(op: HttpOperation, { open, limited, retires }: Circumstances): Status[] {
  const when: [boolean, ...Status[]][] = [
    [true, 405, 500, 503, ...(op.http.errors ?? [])],
    [Object.keys(op.input.properties).length > 0, 400],
    [!open, 401, 403],
    [op.writes === true, 501],
    [bodyFields(op).length > 0, 413, 415],
    // The number of streams per client is limited even without a rate limit.
    [limited || op.http.stream === true, 429],
    [retires, 410],
  ];
  return (Object.keys(statuses).map(Number) as Status[]).filter((status) =>
    when.some(([is, ...list]) => is && list.includes(status)),
  );
}
