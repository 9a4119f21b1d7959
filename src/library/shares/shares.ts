/** Share links for the team: listing, changing and revoking them, and their log. */
import { actorOf } from "../../core/auth/actor.ts";
import { insufficient } from "../../core/auth/authorization.ts";
import type { Caller, Viewer } from "../../core/auth/caller.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import { cursorOf, pageOf, readCursor } from "../../core/lib/cursor.ts";
import { dayMicros, fromMicros, type Micros, minuteOf, toMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, notFound } from "../../core/problem.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import { shareState, tokenNameOf } from "./access.ts";
import { announceEnd, announceRenewal } from "./announce.ts";
import type { ShareRow, ShareViewRow } from "./rows.ts";
import type {
  Share,
  ShareList,
  ShareLog,
  ShareLogQuery,
  SharePath,
  ShareRenewal,
  ShareState,
  SharesQuery,
  ShareUpdate,
} from "./schema.ts";

const defaultDays = 14;

/** A share link as the API returns it, without its secret. */
export const toShare = (row: ShareRow, state: ShareState): Share => ({
  id: row.id,
  subject: row.subject,
  asset_id: row.asset,
  project: row.project,
  set: row.set,
  kind: row.kind,
  tag: row.tag,
  follows: row.follows,
  rights: row.rights,
  annotations: row.annotations,
  role: row.role,
  recipient: row.recipient,
  name_source: row.name_source,
  expires_at: fromMicros(row.expires_at),
  has_passphrase: row.passphrase !== null,
  allow_download: row.allow_download,
  created_by: row.created_by,
  created_at: fromMicros(row.created_at),
  revoked_at: row.revoked_at === null ? null : fromMicros(row.revoked_at),
  revoked_by: row.revoked_by,
  state,
  views: row.views,
});

const toLogEntry = (row: ShareViewRow): ShareLog["entries"][number] => ({
  at: fromMicros(row.at),
  action: row.action,
  count: row.count,
  name: row.name,
  network: row.network,
  asset_id: row.asset,
  sha256: row.sha256,
});

/** When a link that is created or renewed now stops working. @throws {Problem} 400 */
export function expiryOf(
  { config, now }: Pick<LibraryContext, "config" | "now">,
  given: string | undefined,
): Micros {
  const daysMax = config.shareDaysMax;
  if (given === undefined) return now() + Math.min(defaultDays, daysMax) * dayMicros;
  const at = toMicros(given);
  if (at <= now()) throw badRequest("expires_at is in the past.");
  if (at > now() + daysMax * dayMicros) throw badRequest(`expires_at is more than ${daysMax} days ahead.`);
  return at;
}

const noShare = (id: string) => notFound(`No share link with id '${id}'.`);

/** The row of a share in the caller's projects. @throws {Problem} 404 for any other */
async function requireShare(data: LibraryReads, id: string, { projects }: Viewer): Promise<ShareRow> {
  const row = await data.share(id);
  if (!row || !(projects?.includes(row.project) ?? true)) throw noShare(id);
  return row;
}

/** A page of share links, newest first. @throws 400 for an invalid cursor */
export const listShares: LibraryRule<SharesQuery, ShareList> = async (
  ctx,
  { project, asset, limit = 50, cursor },
  caller,
) => {
  const named = asset === undefined ? undefined : await ctx.data.asset(caller.projects, asset);
  if (named === null) return { shares: [], next_cursor: null };
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await ctx.data.shares(caller.projects, {
    project,
    of: named?.root_id,
    limit: limit + 1,
    after: after && { created_at: after.ts ?? 0, id: after.rest },
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last.created_at, last.id));
  const shares = await Promise.all(page.map(async (row) => toShare(row, await shareState(ctx, row))));
  return { shares, next_cursor };
};

/** One share link. @throws 404 */
export async function loadShare(ctx: LibraryContext, { id }: SharePath, caller: Caller): Promise<Share> {
  const row = await requireShare(ctx.data, id, caller);
  return toShare(row, await shareState(ctx, row));
}

/**
 * Changes the label, or moves the expiry to an earlier time: the only things about a share that can change.
 * @throws {Problem} 400 for a later expiry, 409 if the share was revoked
 */
export const updateShare: LibraryRule<ShareUpdate, Share> = async (
  ctx,
  { id, recipient, expires_at },
  caller,
) => {
  const row = await ctx.data.atomically(async (writes) => {
    const share = await requireShare(writes, id, caller);
    if (share.revoked_at !== null) throw conflict("This share link was revoked, so it cannot change.");
    const expiry = expires_at === undefined ? share.expires_at : toMicros(expires_at);
    if (expiry > share.expires_at)
      throw badRequest("expires_at can only move to an earlier time. Renew the link instead.");
    const change = { recipient: recipient ?? share.recipient, expires_at: expiry };
    await writes.changeShare(id, change);
    return { ...share, ...change };
  });
  return toShare(row, await shareState(ctx, row));
};

/**
 * Lets a link work until a later time, also after it expired. Nothing else of it changes.
 * @throws {Problem} 403 for anyone but its creator and admins, 409 if it was revoked, 400 for a bad expiry
 */
export const renewShare: LibraryRule<ShareRenewal, Share> = async (
  ctx,
  { id, expires_at: given },
  caller,
) => {
  const expires_at = expiryOf(ctx, given);
  const row = await ctx.data.atomically(async (writes) => {
    const share = await requireShare(writes, id, caller);
    if (!isCreator(ctx, share, caller) && !isAdmin(caller))
      throw insufficient(
        "Only the creator of a share link and admins can renew it. Create another link instead.",
        ctx.config,
      );
    if (share.revoked_at !== null) throw conflict("This share link was revoked, so it cannot be renewed.");
    if (expires_at < share.expires_at)
      throw badRequest(`The link already works until ${minuteOf(share.expires_at)}.`);
    await writes.changeShare(id, { expires_at });
    await announceRenewal(ctx, writes, { ...share, expires_at }, actorOf(caller, undefined));
    return { ...share, expires_at };
  });
  return toShare(row, await shareState(ctx, row));
};

const isCreator = (ctx: LibraryContext, { creator, created_by }: ShareRow, caller: Caller): boolean =>
  creator === null ? created_by === actorOf(caller, undefined) : creator === tokenNameOf(ctx, caller);

/** Revokes a share of any creator. Its link and its files stop working with the next request. */
export async function revokeShare(ctx: LibraryContext, { id }: SharePath, caller: Caller): Promise<Share> {
  const row = await ctx.data.atomically(async (writes) => {
    const share = await requireShare(writes, id, caller);
    const by = actorOf(caller, undefined);
    if (await writes.revokeShare(id, ctx.now(), by)) await announceEnd(ctx, writes, share, by);
    return requireShare(writes, id, caller);
  });
  return toShare(row, "revoked");
}

/** A page of the log of a share link, newest first. @throws 404 */
export const loadShareLog: LibraryRule<ShareLogQuery, ShareLog> = async (
  ctx,
  { id, limit = 50, cursor },
  caller,
) => {
  await requireShare(ctx.data, id, caller);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await ctx.data.shareViews(id, {
    limit: limit + 1,
    after: after && { at: after.ts ?? 0, slot: after.rest },
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last.at, last.slot));
  return { entries: page.map(toLogEntry), next_cursor };
};
