/** `Deprecation`, `Sunset` and `Link` headers of deprecated operations; 410 after the sunset. */

import { deprecationHeaders, findDeprecation } from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import type { Context } from "../context.ts";
import { httpOperations } from "../operations/index.ts";

type Row = NonNullable<ReturnType<typeof findDeprecation>>;

/** The deprecation of an operation. Routes of the website have none: it is released with the server. */
export const deprecationOf = (ctx: Context, operationId: string, path: string): Row | null =>
  path.startsWith(`${paths.api}/`) ? findDeprecation(ctx, "operation", operationId) : null;

/** Adds the headers to the response of an operation that is still served. */
export function addDeprecationHeaders(response: Response, row: Row, params: Record<string, string>): void {
  if (row.state === "removed") return;
  const replacement = row.replacement === null ? null : replacementUrl(row.replacement, params);
  const headers = deprecationHeaders(row, paths.versioning, replacement);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
}

/** URL of the replacement with the parameters filled in, or of its documentation if one is unknown. */
function replacementUrl(replacement: string, params: Record<string, string>): string {
  const path = httpOperations.find((op) => op.id === replacement)?.http.path;
  const filled = path?.replace(/\{(\w+)\}/g, (blank, name: string) =>
    params[name] === undefined ? blank : encodeURIComponent(params[name]),
  );
  return filled === undefined || filled.includes("{") ? `${paths.docs}#${replacement}` : paths.api + filled;
}
