/** What people with a share link can do: open it, see the asset, review it, and download the file. All is logged. */

import { ulid } from "ulid";
import { hashToken } from "../../core/auth/token.ts";
import { networkPrefix } from "../../core/lib/http/client-network.ts";
import { minuteMicros } from "../../core/lib/time.ts";
import { Problem } from "../../core/problem.ts";
import { ulidPattern } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { activeShare, downloadUrl, type LiveShare } from "./access.ts";
import { recipientName, rememberedName } from "./guest.ts";
import { checkPassphrase } from "./passphrase.ts";
import type { ShareRow } from "./rows.ts";
import type { ShareAction } from "./schema.ts";
import { isShareSecret, type ShareSession, shareCookie, shareSession } from "./secret.ts";
import { sharedAsset, sharedItems } from "./subject.ts";

/** Stands for every reason why a share is not there. */
export class NoShare extends Problem {
  constructor() {
    super(404, "This link is not valid.");
  }
}

/** The share of a link; null if the secret is unknown, or the share does not work, or has nothing to show. */
export async function findShare(ctx: LibraryContext, secret: string): Promise<ShareRow | null> {
  if (!isShareSecret(secret)) return null;
  const share = await activeShare(ctx, await ctx.data.shareWithHash(hashToken(secret)));
  return share && (share.subject !== "asset" || (await sharedAsset(ctx, share, null))) ? share : null;
}

const shareIdShape = new RegExp(`^${ulidPattern}$`);

/** A share and the browser that has opened it. */
export interface ShareVisitor {
  share: ShareRow;
  session: ShareSession;
  /** IP address of the client. */
  address: string;
  /** The name that this browser sent last, or that the link is bound to. */
  name: string;
}

/** A visitor of a share, and the asset of it that they see. */
export type OpenShare = ShareVisitor & LiveShare;

/** The share with this id, if this browser has opened its link; null for every reason why not. */
export async function findVisitor(
  ctx: LibraryContext,
  id: string,
  cookies: string | null,
  address: string,
): Promise<ShareVisitor | null> {
  const share = shareIdShape.test(id) ? await activeShare(ctx, await ctx.data.share(id)) : null;
  const session = share && shareSession(ctx, share, cookies, ctx.now());
  if (!share || !session) return null;
  return {
    share,
    session,
    address,
    name: recipientName(share) ?? (rememberedName(cookies) || (share.reviewer ?? "")),
  };
}

/**
 * What a visitor sees: the asset that is named, or else the first that waits for a review, or the first.
 * Null if it does not belong to the share, or the share has none now.
 */
export async function chooseAsset(
  ctx: LibraryContext,
  visitor: ShareVisitor,
  named: string | null,
): Promise<OpenShare | null> {
  const { share } = visitor;
  const items = named === null ? await sharedItems(ctx, share) : [];
  const first = items.find(({ status }) => status === "pending") ?? items[0];
  const asset = await sharedAsset(ctx, share, named ?? first?.id ?? null);
  return asset && { ...visitor, asset };
}

/**
 * Opens a link in a browser.
 * @returns the `Set-Cookie` value; null for a wrong passphrase
 * @throws {Problem} 429 after too many attempts
 */
export async function openShare(
  ctx: LibraryContext,
  share: ShareRow,
  passphrase: string,
  address: string,
): Promise<string | null> {
  if (!(await checkPassphrase(ctx, share, passphrase, address))) return null;
  await recordVisit(ctx, { share: share.id, action: "opened", address });
  return shareCookie(ctx, share, ctx.now());
}

const visitOf = ({ share, asset, address, session }: OpenShare): Omit<ShareVisit, "action"> => ({
  share: share.id,
  asset,
  address,
  nonce: session.nonce,
});

/** Records that a version was shown; each browser counts once an hour. */
export const recordView = (ctx: LibraryContext, open: OpenShare): Promise<void> =>
  recordVisit(ctx, { ...visitOf(open), action: "viewed" });

/** The URL of the download, which is recorded; null if the share does not allow it. */
export async function downloadShared(ctx: LibraryContext, open: OpenShare): Promise<string | null> {
  const url = downloadUrl(ctx, open);
  if (url !== null) await recordVisit(ctx, { ...visitOf(open), action: "downloaded" });
  return url;
}

/** What a form of a guest does. */
export type GuestAction = Extract<ShareAction, "approved" | "rejected" | "commented">;

/** The link has verdicts of another name (409). */
export class OtherReviewer extends Problem {
  constructor(name: string) {
    super(409, `This link reviews as ${name}. Use that name, or ask for a link of your own.`);
  }
}

async function bindReviewer(writes: LibraryWrites, { id, reviewer }: ShareRow, name: string): Promise<void> {
  if (reviewer === null) await writes.changeShare(id, { reviewer: name });
  else if (reviewer !== name) throw new OtherReviewer(reviewer);
}

/**
 * A context whose first transaction also records what a guest did, so that both commit together. In it the
 * share is checked again, and a verdict binds the link to the name: no one can vote twice with one link.
 * @throws {OtherReviewer} in the transaction, and {NoShare} if the share was revoked
 */
export function withVisit<C extends LibraryContext>(
  ctx: C,
  open: OpenShare,
  action: GuestAction,
  name: string,
): C {
  const { data } = ctx;
  const atomically: typeof data.atomically = (work) =>
    data.atomically(async (writes) => {
      const share = await writes.share(open.share.id);
      if (!share || share.revoked_at !== null) throw new NoShare();
      if (action !== "commented") await bindReviewer(writes, share, name);
      const result = await work(writes);
      await addVisit(writes, ctx.now(), { ...visitOf(open), action, name });
      return result;
    });
  return { ...ctx, data: Object.assign(Object.create(data), { atomically }) };
}

/** Actions that repeat are counted by the hour, so that a busy link has a short log. */
const countedActions: ReadonlySet<ShareAction> = new Set(["opened", "viewed", "downloaded"]);
const hourMicros = 60 * minuteMicros;

interface ShareVisit {
  share: string;
  action: ShareAction;
  /** IP address of the client; only its prefix is stored. */
  address: string;
  asset?: Pick<AssetRow, "id" | "sha256"> | undefined;
  /** The name that was typed. */
  name?: string | undefined;
  /** Identifies the browser, so that each one counts a version once an hour. */
  nonce?: string | undefined;
}

/** Adds an entry to the log of a share, in a transaction. */
function addVisit(writes: LibraryWrites, now: number, visit: ShareVisit): Promise<void> {
  const { share, action, address, asset, name, nonce } = visit;
  const network = networkPrefix(address);
  const hour = Math.floor(now / hourMicros);
  const slot = countedActions.has(action)
    ? new Bun.CryptoHasher("sha256")
        .update(JSON.stringify([action, hour, network, asset?.id, nonce]))
        .digest("base64url")
        .slice(0, 26)
    : ulid(Math.floor(now / 1_000));
  const about = { asset: asset?.id ?? null, sha256: asset?.sha256 ?? null };
  return writes.addShareView({ share, slot, at: now, action, name: name ?? null, network, ...about });
}

const recordVisit = ({ data, now }: Pick<LibraryContext, "data" | "now">, visit: ShareVisit): Promise<void> =>
  data.atomically((writes) => addVisit(writes, now(), visit));
