/** Says of a deprecated operation that it is one, with every answer, and refuses it once its time is over. */
import type { Context } from "../context.ts";
import { deprecationFields, requireServed, retiring } from "../deprecation.ts";
import { paths } from "../info.ts";
import { httpOperations } from "../operations/index.ts";

/**
 * @param answer calls what it is given where a refusal belongs: behind the rate limit, before anything is
 * read
 */
export async function withDeprecationHeaders(
  ctx: Context,
  operationId: string,
  params: Record<string, string>,
  path: string,
  answer: (requireServed: () => void) => Promise<Response>,
): Promise<Response> {
  // Pages move with the program, so what is behind them is theirs for as long as they use it.
  const row = path.startsWith(`${paths.api}/`) ? retiring(ctx, "operation", operationId) : null;
  const response = await answer(() => requireServed(row, path));
  if (row === null || row.standing === "removed") return response;
  const fields = deprecationFields(row, row.replacement === null ? null : addressOf(row.replacement, params));
  for (const [name, value] of Object.entries(fields)) response.headers.set(name, value);
  return response;
}

/** Of what takes its place: its own address, where all that is in it is known, else where it is described. */
function addressOf(replacement: string, params: Record<string, string>): string {
  const path = httpOperations.find((op) => op.id === replacement)?.http.path;
  const filled = path?.replace(/\{(\w+)\}/g, (blank, name: string) =>
    params[name] === undefined ? blank : encodeURIComponent(params[name]),
  );
  return filled === undefined || filled.includes("{") ? `${paths.docs}#${replacement}` : paths.api + filled;
}
