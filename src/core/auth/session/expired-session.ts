/** What a visitor can do whose session has expired: get another sign-in link by mail, or ask for one. */
import type { CoreContext } from "../../context.ts";
import type { Micros } from "../../lib/time.ts";
import { creatorsOf, type FoundSession, sessionCaller } from "../authentication.ts";
import { covers } from "../permissions.ts";

export interface ExpiredSession {
  /** The token of the session. */
  name: string;
  /** The name of the token that created the link of the session; null: someone on the server. */
  creator: string | null;
  /**
   * Where a new link can be sent. Null: its creator gave no address or may no longer create the link, or this
   * deployment sends no mail.
   */
  email: string | null;
  /** When the first of its tokens expires: its own, and those that created its link. */
  endsAt: Micros | null;
}

/** Null unless a link opened the session with a token that is still valid, and so are its creators. */
export async function findExpiredSession(
  ctx: Pick<CoreContext, "config" | "data" | "secret" | "now" | "log">,
  session: FoundSession | undefined,
): Promise<ExpiredSession | null> {
  if (!session?.from_link || session.token === null) return null;
  const caller = await sessionCaller(session, ctx);
  const creators = session.created_with === null ? [] : await creatorsOf(session.created_with, ctx);
  if (!caller?.name || !creators) return null;
  const canRenew = ctx.config.smtpUrl && creators.every((creator) => covers(creator, caller));
  const ends = [caller, ...creators].flatMap(({ expiresAt }) => expiresAt ?? []);
  return {
    name: caller.name,
    creator: creators[0]?.name ?? null,
    email: canRenew ? session.email : null,
    endsAt: ends.length > 0 ? Math.min(...ends) : null,
  };
}
