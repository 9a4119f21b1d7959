/** Whether a decision is that of a person, or what an agent proposes. */
import type { Caller } from "../core/auth/caller.ts";
import type { Standing } from "./schema.ts";

const programs = /^(agent|bot|runner):/;

/**
 * The standing of what a caller decides. Tokens of agents cannot review, so who can, and who signed in, is a
 * person, unless they name an agent as the author.
 */
export function standingOf({ scopes, session }: Caller, by: string | undefined): Standing {
  const isPerson = session !== undefined || scopes.has("assets:review");
  return isPerson && !programs.test(by ?? "") ? "confirmed" : "proposed";
}
