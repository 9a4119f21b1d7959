/** What follows from a row of the table, for those who describe it. */
import { type Status, statuses } from "../problem.ts";
import type { HttpFacts, Operation } from "./operation.ts";

export type HttpOperation = Operation & { http: HttpFacts };

export const mediaOf = ({ http }: HttpOperation): string => http.media ?? "application/json";

/** Where a field of the input goes. */
export type Place = "path" | "header" | "query" | "body";

export function placeOf({ http }: HttpOperation, name: string): Place {
  if (http.path.includes(`{${name}}`)) return "path";
  if (http.headers?.[name]) return "header";
  return http.method === "GET" || http.media === null ? "query" : "body";
}

export const bodyFields = (op: HttpOperation): string[] =>
  Object.keys(op.input.properties).filter((name) => placeOf(op, name) === "body");

export interface Circumstances {
  /** Nobody needs a token for it. */
  open: boolean;
  /** Requests are counted. */
  limited: boolean;
  /** It is on its way out. */
  retires: boolean;
}

/** Every status but success that an operation can answer. */
export function problemsOf(op: HttpOperation, { open, limited, retires }: Circumstances): Status[] {
  const when: [boolean, ...Status[]][] = [
    [true, 405, 500, 503, ...(op.http.errors ?? [])],
    [Object.keys(op.input.properties).length > 0, 400],
    [!open, 401, 403],
    [op.writes === true, 501],
    [bodyFields(op).length > 0, 413, 415],
    // A client has only so many streams, too.
    [limited || op.http.stream === true, 429],
    [retires, 410],
  ];
  return (Object.keys(statuses).map(Number) as Status[]).filter((status) =>
    when.some(([is, ...list]) => is && list.includes(status)),
  );
}
