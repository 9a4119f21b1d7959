/** Creates tokens in the database of this machine, for `svc token create` and `svc connect`. */
import { allRoles, isRole, type Role, roles } from "../src/core/auth/scopes.ts";
import { TokenRequest } from "../src/core/auth/token.ts";
import { fromMicros } from "../src/core/lib/time.ts";
import { createToken } from "../src/feed/tokens.ts";
import { checkFields, splitList } from "./command.ts";
import { UsageError } from "./command-errors.ts";
import type { OpenContext } from "./open.ts";
import { parseDuration } from "./output/duration.ts";

export interface TokenArgs {
  name?: string | undefined;
  role?: string | undefined;
  scopes?: string | undefined;
  project?: string | undefined;
  expires?: string | undefined;
  "review-role"?: string | undefined;
  owner?: string | undefined;
  team?: string | undefined;
}

/**
 * The scopes of a new token. A role and scopes exclude each other: the token would no longer be what its role
 * says.
 */
function chosenScopes({ role, scopes }: TokenArgs): string[] {
  if (role !== undefined && scopes !== undefined)
    throw new UsageError("Use either --role or --scopes, not both.");
  if (scopes !== undefined) return splitList(scopes);
  if (role === undefined)
    throw new UsageError(`Choose what the token may do with --role (${allRoles.join(", ")}) or --scopes.`);
  if (!isRole(role)) throw new UsageError(`Unknown role "${role}". Roles: ${allRoles.join(", ")}.`);
  return [...roles[role].scopes];
}

/** @throws for a token that cannot review */
function requireReviewScope(scopes: readonly string[]): void {
  if (!scopes.includes("assets:review"))
    throw new UsageError("A review role needs the scope assets:review. Use --role reviewer.");
}

/** Creates a token as the flags say. @throws for a name that is taken, and for unknown projects */
export async function createTokenFromFlags(ctx: OpenContext, args: TokenArgs) {
  const expires_at =
    args.expires === undefined
      ? null
      : /^\d+[a-z]$/.test(args.expires)
        ? fromMicros(ctx.now() + parseDuration("expires", args.expires))
        : args.expires;
  const fields = new Map<string, unknown>(
    Object.entries({
      name: args.name,
      scopes: chosenScopes(args),
      projects: args.project === undefined ? null : splitList(args.project),
      expires_at,
      ...(args["review-role"] !== undefined && { review_role: args["review-role"] }),
      ...(args.owner !== undefined && { owner: args.owner }),
      ...(args.team !== undefined && { team: args.team }),
    }),
  );
  const request = checkFields(TokenRequest, fields);
  if (request.review_role !== undefined) requireReviewScope(request.scopes);
  return createToken(ctx, request, args.role as Role | undefined);
}
