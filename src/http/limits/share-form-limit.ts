/** Limits the forms that people send with one share link, so that a link cannot fill the log or a version. */
import type { Context } from "../../context.ts";
import { Problem } from "../../problem.ts";
import { openLimiter } from "./shared-rate-limit.ts";

const forms = { quota: 30, seconds: 600 };

/** Opens the limit. Counts a form of a share. @throws {Problem} 429 after too many */
export function shareFormLimit(ctx: Pick<Context, "data" | "now">): (share: string) => Promise<void> {
  const take = openLimiter(ctx, forms, "share form");
  return async (share) => {
    const { allowed, resetSeconds } = await take(share, ctx.now());
    if (!allowed)
      throw new Problem(429, `Too many verdicts and comments. Try again in ${resetSeconds} seconds.`, {
        "retry-after": String(resetSeconds),
      });
  };
}
