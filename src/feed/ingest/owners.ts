/** Whose work events are: of the owner of their token, else of the person whose identity their sender names. */
import { normalizeIdentity } from "../../core/people/schema.ts";
import { countUnmapped } from "../../core/people/unmapped.ts";
import type { FeedContext } from "../context.ts";
import type { Appendable } from "../rows.ts";

/**
 * Sets the person and the team of events without a person. An identity is never stored with an event.
 * @param identityOf such as `email:dana@example.com`; null if the sender names none
 */
export async function withOwners(
  ctx: Pick<FeedContext, "audit" | "data" | "now">,
  events: readonly Appendable[],
  identityOf: (index: number) => string | null,
): Promise<Appendable[]> {
  const named = events.map((event, index) => {
    const identity = event.person == null ? identityOf(index) : null;
    return identity === null ? null : normalizeIdentity(identity);
  });
  const distinct = [...new Set(named.filter((identity) => identity !== null))];
  if (distinct.length === 0) return [...events];
  const owners = await ctx.data.personsOf(distinct);
  return events.map((event, index) => {
    const identity = named[index] ?? null;
    if (identity === null) return event;
    const owner = owners.get(identity);
    if (owner) return { ...event, person: owner.person, team: event.team ?? owner.team };
    countUnmapped(ctx, event.project ?? "", identity);
    return event;
  });
}

/** The identity of an email address; null for none. */
export const emailIdentity = (email: string | null | undefined): string | null =>
  email ? `email:${email}` : null;
