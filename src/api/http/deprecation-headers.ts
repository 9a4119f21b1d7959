/** `Deprecation`, `Sunset` and `Link` headers of deprecated operations; 410 after the sunset. */

import { deprecationHeaders, findDeprecation, requireNotRetired } from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import type { Context } from "../context.ts";
import { httpOperations } from "../operations/index.ts";

/**
 * Adds deprecation headers to the response of an operation.
 * @param answer calls its argument after the rate limit and before reading input; that throws once the
 * operation is removed
 */
export async function withDeprecationHeaders(
  ctx: Context,
  operationId: string,
  params: Record<string, string>,
  path: string,
  answer: (requireServed: () => void) => Promise<Response>,
): Promise<Response> {
  // Only the public API: the website is released with the server, so its routes are never deprecated.
  const row = path.startsWith(`${paths.api}/`) ? findDeprecation(ctx, "operation", operationId) : null;
  const response = await answer(() => requireNotRetired(row, path));
  if (row === null || row.state === "removed") return response;
  const headers = deprecationHeaders(
    row,
    paths.versioning,
    row.replacement === null ? null : replacementUrl(row.replacement, params),
  );
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** URL of the replacement with the parameters filled in, or of its documentation if one is unknown. */
function replacementUrl(replacement: string, params: Record<string, string>): string {
  const path = httpOperations.find((op) => op.id === replacement)?.http.path;
  const filled = path?.replace(/\{(\w+)\}/g, (blank, name: string) =>
    params[name] === undefined ? blank : encodeURIComponent(params[name]),
  );
  return filled === undefined || filled.includes("{") ? `${paths.docs}#${replacement}` : paths.api + filled;
}
