/** The sessions of the caller: on which devices, and how to end them. */
import type { CoreContext } from "../../context.ts";
import { fromMicros } from "../../lib/time.ts";
import { notFound } from "../../problem.ts";
import { type FoundSession, sessionCaller } from "../authentication.ts";
import type { Caller } from "../caller.ts";
import type { EndedSessions, OwnSessions, SessionPath } from "./schema.ts";

type Needs = Pick<CoreContext, "config" | "data" | "secret" | "now" | "log">;

/** Part of the hash of a session: names it to its owner, and opens nothing. */
const idOf = ({ hash }: Pick<FoundSession, "hash">): string => hash.slice(0, 16);

/** Two people can have the same name: one by a token, one without, one at an identity provider. */
const holderOf = ({ config }: Needs, { actor, identity, token, tokenRow }: FoundSession): string => {
  if (identity !== null) return `identity ${actor}`;
  return token === null ? `admin ${actor}` : `token ${tokenRow?.name ?? config.tokens.get(token)?.name}`;
};

/** The valid sessions of the caller, the latest opened first. */
async function loadOwn(ctx: Needs, caller: Caller): Promise<FoundSession[]> {
  const own = caller.session === undefined ? null : await ctx.data.session(caller.session);
  const holder = own ? holderOf(ctx, own) : `token ${caller.name}`;
  const rows = await ctx.data.sessionsOf(own?.actor ?? `human:${caller.name}`);
  const valid: FoundSession[] = [];
  for (const row of rows) {
    if (row.expires_at <= ctx.now() || holderOf(ctx, row) !== holder) continue;
    // Whether an identity provider still vouches is asked when the session is used.
    if (row.identity !== null || (await sessionCaller(row, ctx))) valid.push(row);
  }
  return valid;
}

export async function listOwnSessions(ctx: Needs, caller: Caller): Promise<OwnSessions> {
  const sessions = (await loadOwn(ctx, caller)).map((row) => ({
    id: idOf(row),
    device: row.device,
    opened_at: fromMicros(row.opened_at),
    used_at: row.used_at === null ? null : fromMicros(row.used_at),
    expires_at: fromMicros(row.expires_at),
    from_link: row.from_link,
    current: row.hash === caller.session,
  }));
  return { sessions: sessions.toSorted((a, b) => Number(b.current) - Number(a.current)) };
}

/** @throws {Problem} 404 for a session of someone else */
export async function endOwnSession(ctx: Needs, { id }: SessionPath, caller: Caller): Promise<EndedSessions> {
  const row = (await loadOwn(ctx, caller)).find((one) => idOf(one) === id);
  if (!row) throw notFound(`No session with id '${id}'. It may have ended.`);
  await ctx.data.atomically((writes) => writes.removeSession(row.hash));
  return { ended: 1 };
}

/** Ends all but that of the request. */
export async function endOtherSessions(ctx: Needs, caller: Caller): Promise<EndedSessions> {
  const others = (await loadOwn(ctx, caller)).filter(({ hash }) => hash !== caller.session);
  await ctx.data.atomically(async (writes) => {
    for (const { hash } of others) await writes.removeSession(hash);
  });
  return { ended: others.length };
}
