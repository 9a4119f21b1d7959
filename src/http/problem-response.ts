/** Anything thrown → a problem document (RFC 9457). The one mapper. */
import type { Context } from "../context.ts";
import { paths } from "../info.ts";
import { Problem, type ProblemDocument, statuses } from "../problem.ts";

export function problemResponse(
  ctx: Pick<Context, "config" | "log">,
  error: unknown,
  instance: string,
): Response {
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
      path: unsigned(instance),
      cause: String((problem.cause as Error)?.message ?? ""),
    });
  return new Response(JSON.stringify(body), {
    status: problem.status,
    headers: { ...problem.headers, "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}

function unexpected(ctx: Pick<Context, "log">, error: unknown, path: string): Problem {
  ctx.log("error", "unexpected error", {
    path: unsigned(path),
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new Problem(500, "Something went wrong here; the server's log has the cause.");
}

/** A signed address is a key: the log gets the path without its seal. */
const unsigned = (path: string): string => path.replace(/\/\d+-[\w-]{32}(?=\/|$)/, "/…");
