/** Creates tokens in the database of this machine, for `svc token create` and `svc connect`. */
import { allRoles, isRole, type Role, roles, type Scope } from "../src/core/auth/scopes.ts";
import { generateToken, hashToken, TokenRequest } from "../src/core/auth/token.ts";
import { fromMicros, toMicros } from "../src/core/lib/time.ts";
import { CommandError, checkFields, splitList, UsageError } from "./command.ts";
import type { OpenContext } from "./open.ts";
import { parseDuration } from "./output/duration.ts";

export interface TokenArgs {
  name?: string | undefined;
  role?: string | undefined;
  scopes?: string | undefined;
  project?: string | undefined;
  expires?: string | undefined;
  "review-role"?: string | undefined;
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
export function requireReviewScope(scopes: readonly string[]): void {
  if (!scopes.includes("assets:review"))
    throw new UsageError("A review role needs the scope assets:review. Use --role reviewer.");
}

/** Creates a token; only its hash is stored. @throws for a name that is taken, and for unknown projects */
export async function createToken(ctx: OpenContext, args: TokenArgs) {
  const at = ctx.now();
  const expires_at =
    args.expires === undefined
      ? null
      : /^\d+[a-z]$/.test(args.expires)
        ? fromMicros(at + parseDuration("expires", args.expires))
        : args.expires;
  const projects = args.project === undefined ? null : splitList(args.project);
  const request = new Map<string, unknown>(
    Object.entries({
      name: args.name,
      scopes: chosenScopes(args),
      projects,
      expires_at,
      ...(args["review-role"] !== undefined && { review_role: args["review-role"] }),
    }),
  );
  const { name, scopes, review_role = null } = checkFields(TokenRequest, request);
  if (review_role !== null) requireReviewScope(scopes);
  for (const slug of projects ?? [])
    if (!(await ctx.data.project(null, slug)))
      throw new CommandError(
        `No project "${slug}". Link it first: svc project link ${slug} --repo owner/name`,
      );
  const token = generateToken();
  const row = {
    name,
    hash: hashToken(token),
    role: args.role === undefined ? null : (args.role as Role),
    scopes: scopes as Scope[],
    projects,
    review_role,
    created_at: at,
    expires_at: expires_at === null ? null : toMicros(expires_at),
  };
  await ctx.data.atomically(async (writes) => {
    if (!(await writes.addToken(row)))
      throw new CommandError(
        `Token name "${name}" is already taken. Token names cannot be reused, even after a token is revoked.`,
      );
  });
  return { token, row };
}
