/** What a visitor can do whose session has expired: ask for another sign-in link. */
import type { Context } from "../context.ts";
import { creatorsOf, type FoundSession, sessionCaller } from "./authentication.ts";

export interface ExpiredSession {
  /** The token of the session. */
  name: string;
  /** The name of the token that created the link of the session; null: someone on the server. */
  creator: string | null;
}

/** Null unless a link opened the session with a token that is still valid. */
export async function findExpiredSession(
  ctx: Pick<Context, "config" | "data" | "now">,
  session: FoundSession | undefined,
): Promise<ExpiredSession | null> {
  if (!session?.from_link || session.token === null) return null;
  const caller = await sessionCaller(session, ctx);
  if (!caller?.name) return null;
  const creators = session.created_with === null ? [] : await creatorsOf(session.created_with, ctx);
  return { name: caller.name, creator: creators?.[0]?.name ?? null };
}
