/** Authorization: whether a caller has the scope that it needs. */
import type { Config } from "../config.ts";
import { forbidden, Problem } from "../problem.ts";
import type { Caller } from "./caller.ts";
import { covers, isAdmin } from "./permissions.ts";
import { grants, publicScopes, rolesWith, type Scope } from "./scopes.ts";

/** The token lacks the scope (403), or the request has no token (401). */
export class MissingScope extends Problem {
  constructor(
    readonly scope: Scope | "public",
    status: 401 | 403,
    detail: string,
    headers: Record<string, string>,
  ) {
    super(status, detail, headers);
  }
}

/** Whether the caller has the scope, or public read grants it. */
export const isAllowed = (
  caller: Caller,
  scope: Scope | "public",
  config: Pick<Config, "publicRead">,
): boolean =>
  scope === "public" || grants(caller.scopes, scope) || (config.publicRead && publicScopes.has(scope));

/** @throws {Problem} 401 with a `WWW-Authenticate` challenge if the request has no valid token */
export function requireToken(caller: Caller, { siteUrl }: Pick<Config, "siteUrl">): void {
  if (caller.name !== null) return;
  throw caller.isInvalid
    ? new Problem(401, invalidToken, challenge(siteUrl, unknownToken))
    : new Problem(
        401,
        "A token is required. Send it as `Authorization: Bearer <token>`.",
        challenge(siteUrl),
      );
}

/** @throws {Problem} 401 without a valid token, 403 unless the caller is an admin */
export function requireAdmin(caller: Caller, config: Pick<Config, "siteUrl">): void {
  requireToken(caller, config);
  if (!isAdmin(caller)) throw insufficient("This is for admins. Use a token with the role admin.", config);
}

/** @throws {Problem} 403 if the other caller may do more than this one */
export function requireCoverage(
  caller: Caller,
  other: Caller,
  detail: string,
  config: Pick<Config, "siteUrl">,
): void {
  if (!covers(caller, other)) throw insufficient(detail, config);
}

/** A 403 with a `WWW-Authenticate` challenge: another token may do it. */
export const insufficient = (detail: string, { siteUrl }: Pick<Config, "siteUrl">): Problem =>
  forbidden(detail, challenge(siteUrl, insufficientScope));

const unknownToken = 'error="invalid_token", error_description="Unknown token"';
const insufficientScope = 'error="insufficient_scope"';

/** The header that challenges a client to send another token (RFC 6750, 3; RFC 9728, 5.1). */
const challenge = (siteUrl: string, ...fields: string[]): Record<string, string> => ({
  "www-authenticate": `Bearer ${[
    'realm="svc"',
    ...fields,
    `resource_metadata="${siteUrl}/.well-known/oauth-protected-resource"`,
  ].join(", ")}`,
});

const invalidToken = "This token is not valid. It may have been revoked or have expired.";

/** @throws {Problem} 401 or 403 with a `WWW-Authenticate` challenge */
export function authorize(caller: Caller, scope: Scope | "public", config: Config): void {
  if (isAllowed(caller, scope, config)) return;
  const { siteUrl } = config;
  const scopeField = `scope="${scope}"`;
  if (caller.name !== null)
    throw new MissingScope(
      scope,
      403,
      `This token lacks the scope ${scope}. Ask an admin for a token with ${rolesWith(scope)}.`,
      challenge(siteUrl, insufficientScope, scopeField),
    );
  throw caller.isInvalid
    ? new Problem(401, invalidToken, challenge(siteUrl, unknownToken, scopeField))
    : new MissingScope(
        scope,
        401,
        `A token with the scope ${scope} is required. ` +
          `Ask an admin for one with ${rolesWith(scope)}, and send it as \`Authorization: Bearer <token>\`.`,
        challenge(siteUrl, scopeField),
      );
}
