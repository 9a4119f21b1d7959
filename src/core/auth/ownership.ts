/** Who owns what a caller creates, and what of it another caller sees. */

import { adminCaller, type Caller } from "./caller.ts";
import { isAdmin } from "./permissions.ts";

/**
 * The owner of what a caller creates: the name of its token, or null for the admin of the deployment, who
 * comes with access to the database, by the command line or a sign-in link.
 */
export function ownerOf(caller: Caller): string | null {
  const { name, actor, hash } = caller;
  const isUser = hash === undefined && (name === adminCaller.name || name === actor);
  return isUser && isAdmin(caller) ? null : name;
}

/** Undefined for a token of all projects, which sees all webhooks; one of some projects sees its own. */
export const visibleTo = (caller: Caller): { owner: string | null } | undefined =>
  caller.projects === null ? undefined : { owner: ownerOf(caller) };
