/** Who signed in at the provider, as the row of their session keeps it: sealed, as it holds tokens. */
import type { CoreContext } from "../../context.ts";
import type { Micros } from "../../lib/time.ts";
import type { IdentityOwner, SessionRow } from "../../rows.ts";
import type { Caller } from "../caller.ts";
import { roles } from "../scopes.ts";
import { type Verifying, validSecrets } from "../secret.ts";
import { accessOf } from "./access-rules.ts";
import { seal, unseal } from "./sealed.ts";

export interface Identity {
  issuer: string;
  subject: string;
  groups: string[];
  /** The endpoint that told the groups does not tell all claims: others ask for a new ID token. */
  groupsFrom: "userinfo" | "id_token";
  /** Null without a verified one: people could type that of a colleague. */
  email: string | null;
  /** When the provider told this last. */
  answeredAt: Micros;
  accessToken: string;
  /** Null: until the provider says otherwise. */
  accessUntil: Micros | null;
  refreshToken: string | null;
  /** For the provider's sign-out. */
  idToken: string;
}

type Sealing = Pick<CoreContext, "secret">;

export const sealIdentity = ({ secret }: Sealing, identity: Identity): string =>
  seal(secret, "identity", identity);

export const openIdentity = (ctx: Verifying, sealed: string): Identity | null =>
  validSecrets(ctx)
    .map((secret) => unseal<Identity>(secret, "identity", sealed))
    .find((identity) => identity !== null) ?? null;

/** What their groups may do now; null if nothing. @param owner the person of their email address */
export function callerOfIdentity(
  { config }: Pick<CoreContext, "config">,
  { hash, actor, expires_at }: Pick<SessionRow, "hash" | "actor" | "expires_at">,
  { issuer, groups }: Identity,
  owner?: IdentityOwner,
): Caller | null {
  // Another provider's people are not signed in here.
  if (config.oidc?.issuer !== issuer) return null;
  const access = accessOf(config.oidc.access, groups);
  if (!access) return null;
  const { role, projects } = access;
  return {
    // No token can have the name of an actor.
    name: actor,
    actor,
    role,
    scopes: new Set(roles[role].scopes),
    projects,
    expiresAt: expires_at,
    session: hash,
    // What they create for others ends with it.
    createdWith: hash,
    ...(owner && { person: owner.person }),
    ...(owner?.team && { team: owner.team }),
  };
}
