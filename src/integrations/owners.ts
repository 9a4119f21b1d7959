/** The owner of a webhook or a digest: the token that created it, whose access limits what is sent. */
import { adminCaller, type Caller } from "../core/auth/caller.ts";
import type { IntegrationsContext } from "./context.ts";

/** What an owner may do now, or why it may do nothing any more. */
export type Owner = { caller: Caller } | { ended: "unknown" | "revoked" | "expired" };

type Needs = Pick<IntegrationsContext, "config" | "data" | "now">;

/** Reads all tokens once. @returns the owner of a name; null is the admin of the deployment */
export async function openOwners({ config, data, now }: Needs): Promise<(name: string | null) => Owner> {
  const rows = new Map((await data.tokens()).map((row) => [row.name, row]));
  const configured = new Map(config.tokens.values().map((caller) => [caller.name, caller]));
  return (name) => {
    const caller = name === null ? adminCaller : configured.get(name);
    if (caller) return { caller };
    const row = rows.get(name as string);
    if (!row) return { ended: "unknown" };
    const { scopes, projects, revoked_at, expires_at, owner } = row;
    if (revoked_at !== null) return { ended: "revoked" };
    if (expires_at !== null && expires_at <= now()) return { ended: "expired" };
    const found = { name, scopes: new Set(scopes), projects, expiresAt: expires_at };
    return { caller: { ...found, ...(owner !== null && { person: owner }) } };
  };
}
