/** The names under which people of the provider act: each keeps the one of their first sign-in. */
import type { CoreContext } from "../../context.ts";
import type { CoreReads } from "../../port.ts";
import type { IdentityRow } from "../../rows.ts";
import { callerOfToken } from "../authentication.ts";
import { adminCaller } from "../caller.ts";
import { type Claims, nameOf } from "./claims.ts";

type Needs = Pick<CoreContext, "config" | "data" | "now">;

/**
 * The actor of a person, such as `human:dana`. A user name can change at the provider, and another person can
 * take it over, so it is the subject that counts; a name that is taken gets a number.
 */
export async function actorOfSubject(
  ctx: Needs,
  { issuer, subject }: Pick<IdentityRow, "issuer" | "subject">,
  claims: Claims,
): Promise<string> {
  const known = await ctx.data.identity(issuer, subject);
  if (known) return known.actor;
  const name = nameOf(claims);
  return ctx.data.atomically(async (writes) => {
    // Another request of theirs may have been first.
    const added = await writes.identity(issuer, subject);
    if (added) return added.actor;
    for (let number = 1; ; number++) {
      const own = number === 1 ? name : `${name}-${number}`;
      if (await isTaken(ctx, writes, own)) continue;
      const actor = `human:${own}`;
      await writes.addIdentity({ issuer, subject, actor, created_at: ctx.now() });
      return actor;
    }
  });
}

/** By another person, by the server itself, or by a token: a session of the token `dana` acts as them, too. */
async function isTaken({ config, now }: Needs, reads: CoreReads, name: string): Promise<boolean> {
  if (name === adminCaller.name) return true;
  if ([...config.tokens.values()].some((token) => token.name === name)) return true;
  if (await reads.identityNamed(`human:${name}`)) return true;
  return callerOfToken(await reads.tokenNamed(name), now()) !== null;
}
