/** Who owns what a caller creates, and what of it another caller sees. */

import type { Caller } from "./caller.ts";
import { adminCaller } from "./caller.ts";

/**
 * The owner of what a caller creates: the name of its token, or null for the admin of the deployment, who
 * comes with access to the database, by the command line or a sign-in link.
 */
export function ownerOf({ name, actor, hash }: Caller): string | null {
  const isDeploymentAdmin = hash === undefined && (name === adminCaller.name || name === actor);
  return isDeploymentAdmin ? null : name;
}

/** Undefined for a token of all projects, which sees all webhooks; one of some projects sees its own. */
export const visibleTo = (caller: Caller): { owner: string | null } | undefined =>
  caller.projects === null ? undefined : { owner: ownerOf(caller) };
