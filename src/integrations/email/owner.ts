/** The owner of a digest: the token that added it, whose access limits what the digest shows. */
import { adminCaller, type Caller } from "../../core/auth/caller.ts";
import type { IntegrationsContext } from "../context.ts";

const configured = ({ config }: Pick<IntegrationsContext, "config">, name: string): Caller | undefined =>
  [...config.tokens.values()].find((caller) => caller.name === name);

/** What the owner may read now; null if the token was revoked, has expired, or left the configuration. */
export async function callerOfOwner(
  ctx: Pick<IntegrationsContext, "config" | "data" | "now">,
  owner: string | null,
): Promise<Caller | null> {
  if (owner === null) return adminCaller;
  const own = configured(ctx, owner);
  if (own) return own;
  const row = (await ctx.data.tokens()).find(({ name }) => name === owner);
  if (!row || row.revoked_at !== null) return null;
  if (row.expires_at !== null && row.expires_at <= ctx.now()) return null;
  const { name, scopes, projects, expires_at: expiresAt } = row;
  return { name, scopes: new Set(scopes), projects, expiresAt };
}
