/** Maps any error to a problem document (RFC 9457). */

import { paths } from "../../core/info.ts";
import { NotFound, Problem, type ProblemDocument, statuses } from "../../core/problem.ts";
import { redactShareSecret } from "../../library/shares/secret.ts";
import type { Context } from "../context.ts";

/** Logs 503s and unexpected errors, and makes the response. @param path of the request */
export function problemResponse(
  ctx: Pick<Context, "config" | "log">,
  error: unknown,
  path: string,
): Response {
  const instance = redactShareSecret(path);
  const problem = error instanceof Problem ? error : unexpected(ctx, error, instance);
  const body: ProblemDocument = {
    type: ctx.config.siteUrl + paths.errors,
    title: statuses[problem.status][0],
    status: problem.status,
    detail: problem.detail,
    instance,
  };
  if (problem.status === 503)
    ctx.log("warn", problem.detail, {
      path: redactSignature(instance),
      cause: String((problem.cause as Error)?.message ?? ""),
    });
  return new Response(JSON.stringify(body), {
    status: problem.status,
    headers: {
      ...problem.headers,
      ...collectionLink(problem),
      "content-type": "application/problem+json",
      "cache-control": "no-store",
    },
  });
}

/** Links to the list in which the client finds what exists (RFC 6573). */
const collectionLink = (problem: Problem): Record<string, string> =>
  problem instanceof NotFound && problem.collection
    ? { link: `<${paths.api}${problem.collection}>; rel="collection"` }
    : {};

function unexpected(ctx: Pick<Context, "log">, error: unknown, path: string): Problem {
  ctx.log("error", "unexpected error", {
    path: redactSignature(path),
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new Problem(500, "Something went wrong here; the server's log has the cause.");
}

/** The path without the signature: a signed URL is a credential, so the log must not contain it. */
const redactSignature = (path: string): string =>
  path.replace(/\/\d+-[\w-]{32}(-[0-9A-Z]{26})?(?=\/|$)/, "/…");
