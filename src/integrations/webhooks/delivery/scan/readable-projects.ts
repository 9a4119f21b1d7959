/** What the owner of a webhook may read, and whether it still may. */

import type { Projects, TokenRow } from "../../../../core/rows.ts";
import type { IntegrationsContext } from "../../../context.ts";

/** The projects that an owner may read, or why it may read none any more. */
export type Readable = { projects: Projects } | { refused: string };

const resume = "then resume the webhook, or create a new one with a valid token.";

/** Reads all tokens once. @returns what an owner may read now; null is the admin of the deployment */
export async function openReadable({
  config,
  data,
  now,
}: Pick<IntegrationsContext, "config" | "data" | "now">): Promise<(owner: string | null) => Readable> {
  const rows = new Map((await data.tokens()).map((row) => [row.name, row]));
  const configured = new Map(config.tokens.values().map((caller) => [caller.name, caller]));
  return (owner) => {
    if (owner === null) return { projects: null };
    const caller = configured.get(owner);
    if (caller) return { projects: caller.projects };
    return ofToken(owner, rows.get(owner), now());
  };
}

function ofToken(name: string, row: TokenRow | undefined, now: number): Readable {
  if (!row) return { refused: `Its token ${name} does not exist. Create it, ${resume}` };
  if (row.revoked_at !== null)
    return { refused: `Its token ${name} was revoked. Create a new webhook with a valid token.` };
  if (row.expires_at !== null && row.expires_at <= now)
    return { refused: `Its token ${name} has expired. Create a new webhook with a valid token.` };
  return { projects: row.projects };
}
