/** Share links for the team: creating, listing, changing and revoking them, and their log. */
import { ulid } from "ulid";
import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { dayMicros, fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, notFound } from "../../core/problem.ts";
import { requireAsset } from "../assets/library.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads, LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { mayActAs, shareState, tokenNameOf } from "./access.ts";
import { hashPassphrase } from "./passphrase.ts";
import type { ShareRow, ShareViewRow } from "./rows.ts";
import type {
  CreatedShare,
  NewShare,
  Share,
  ShareList,
  ShareLog,
  ShareLogQuery,
  SharePath,
  ShareState,
  SharesQuery,
  ShareUpdate,
} from "./schema.ts";
import { generateShareSecret, sharePath } from "./secret.ts";

const defaultDays = 14;
const daysMax = 366;

/** A share link as the API returns it, without its secret. */
const toShare = (row: ShareRow, state: ShareState): Share => ({
  id: row.id,
  asset_id: row.asset,
  project: row.project,
  follows: row.follows,
  rights: row.rights,
  annotations: row.annotations,
  role: row.role,
  recipient: row.recipient,
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

/**
 * Creates a link to an asset. What it allows is never more than its creator may do, and ends with the
 * creator's token.
 * @throws {Problem} 400 for a role that the creator does not have, or a bad expiry
 */
export async function createShare(
  ctx: LibraryContext,
  input: NewShare,
  caller: Caller,
): Promise<CreatedShare> {
  const { recipient, rights = "view", annotations = "own", follows = "fixed", role = null } = input;
  if (role !== null && !mayActAs(caller, role))
    throw badRequest(`role: you do not have the role ${role} yourself. Leave it out.`);
  const created_at = ctx.now();
  const expires_at = expiryOf(input.expires_at, created_at);
  const asset = await requireAsset(ctx, input.id, caller);
  const { secret, hash } = generateShareSecret();
  const row: ShareRow = {
    id: ulid(Math.floor(created_at / 1_000)),
    hash,
    project: asset.project,
    asset: asset.id,
    root_id: asset.root_id,
    follows,
    rights,
    annotations,
    role,
    recipient,
    expires_at,
    allow_download: input.allow_download ?? false,
    passphrase: input.passphrase === undefined ? null : await hashPassphrase(input.passphrase),
    created_by: actorOf(caller, undefined),
    creator: tokenNameOf(ctx, caller),
    created_at,
    revoked_at: null,
    revoked_by: null,
    reviewer: null,
    views: 0,
  };
  await ctx.data.atomically(async (writes) => {
    await writes.addShare(row);
    const until = fromMicros(expires_at).slice(0, "2026-01-02T03:04".length).replace("T", " ");
    const what = `${isolateBidi(asset.title)}, version ${asset.version}`;
    const summary = `Shared ${what}, by a link (${rights}) until ${until} UTC`;
    await writes.append([assetEvent(ctx.config, "share.created", asset, row.created_by, summary)]);
    return { id: row.id, project: row.project };
  });
  return { ...toShare(row, "active"), url: `${ctx.config.siteUrl}${sharePath}/${secret}` };
}

function expiryOf(given: string | undefined, now: Micros): Micros {
  if (given === undefined) return now + defaultDays * dayMicros;
  const at = toMicros(given);
  if (at <= now) throw badRequest("expires_at is in the past.");
  if (at > now + daysMax * dayMicros) throw badRequest(`expires_at is more than ${daysMax} days ahead.`);
  return at;
}

const noShare = (id: string) => notFound(`No share link with id '${id}'.`);

/** The row of a share in the caller's projects. @throws {Problem} 404 for any other */
async function requireShare(
  data: LibraryReads,
  id: string,
  { projects }: Pick<Caller, "projects">,
): Promise<ShareRow> {
  const row = await data.share(id);
  if (!row || !(projects?.includes(row.project) ?? true)) throw noShare(id);
  return row;
}

/** A page of share links, newest first. @throws 400 for an invalid cursor */
export async function listShares(
  ctx: LibraryContext,
  { project, asset, limit = 50, cursor }: SharesQuery,
  caller: Caller,
): Promise<ShareList> {
  const named = asset === undefined ? undefined : await ctx.data.asset(caller.projects, asset);
  if (named === null) return { shares: [], next_cursor: null };
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await ctx.data.shares(caller.projects, {
    project,
    of: named?.root_id,
    limit: limit + 1,
    after: after && { created_at: after.ts ?? 0, id: after.rest },
  });
  const page = rows.slice(0, limit);
  const shares = await Promise.all(page.map(async (row) => toShare(row, await shareState(ctx, row))));
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { shares, next_cursor: last ? cursorOf(last.created_at, last.id) : null };
}

/** One share link. @throws 404 */
export async function loadShare(ctx: LibraryContext, { id }: SharePath, caller: Caller): Promise<Share> {
  const row = await requireShare(ctx.data, id, caller);
  return toShare(row, await shareState(ctx, row));
}

/**
 * Changes the label, or moves the expiry to an earlier time: the only things about a share that can change.
 * @throws {Problem} 400 for a later expiry, 409 if the share was revoked
 */
export async function updateShare(
  ctx: LibraryContext,
  { id, recipient, expires_at }: ShareUpdate,
  caller: Caller,
): Promise<Share> {
  const row = await ctx.data.atomically(async (writes) => {
    const share = await requireShare(writes, id, caller);
    if (share.revoked_at !== null) throw conflict("This share link was revoked, so it cannot change.");
    const expiry = expires_at === undefined ? share.expires_at : toMicros(expires_at);
    if (expiry > share.expires_at)
      throw badRequest("expires_at can only move to an earlier time. Create another link instead.");
    const change = { recipient: recipient ?? share.recipient, expires_at: expiry };
    await writes.changeShare(id, change);
    return { ...share, ...change };
  });
  return toShare(row, await shareState(ctx, row));
}

/** Revokes a share of any creator. Its link and its files stop working with the next request. */
export async function revokeShare(ctx: LibraryContext, { id }: SharePath, caller: Caller): Promise<Share> {
  const row = await ctx.data.atomically(async (writes) => {
    const share = await requireShare(writes, id, caller);
    const asset = await writes.asset(null, share.asset);
    const by = actorOf(caller, undefined);
    const isNew = await writes.revokeShare(id, ctx.now(), by);
    if (asset && isNew) await announceEnd(ctx, writes, asset, by);
    return requireShare(writes, id, caller);
  });
  return toShare(row, "revoked");
}

async function announceEnd(
  { config }: Pick<LibraryContext, "config">,
  writes: LibraryWrites,
  asset: AssetRow,
  by: string,
): Promise<void> {
  const summary = `Revoked a link to ${isolateBidi(asset.title)}, version ${asset.version}`;
  await writes.append([assetEvent(config, "share.revoked", asset, by, summary)]);
}

/** A page of the log of a share link, newest first. @throws 404 */
export async function loadShareLog(
  ctx: LibraryContext,
  { id, limit = 50, cursor }: ShareLogQuery,
  caller: Caller,
): Promise<ShareLog> {
  await requireShare(ctx.data, id, caller);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await ctx.data.shareViews(id, {
    limit: limit + 1,
    after: after && { at: after.ts ?? 0, slot: after.rest },
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { entries: page.map(toLogEntry), next_cursor: last ? cursorOf(last.at, last.slot) : null };
}
