/** Whether a share link works now: the link, the token of its creator, and the asset that it shows. */
import { callerOfToken } from "../../core/auth/authentication.ts";
import { adminCaller, type Caller } from "../../core/auth/caller.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import { grants, type Scope } from "../../core/auth/scopes.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { reviewRoleOf } from "../verdicts/voter.ts";
import type { ShareRow } from "./rows.ts";
import type { ShareState } from "./schema.ts";

type Needs = Pick<LibraryContext, "config" | "data" | "now">;

/** What a share needs of its creator. It grants reading too: the answer to a review has the URL of the file. */
const creatorScope: Scope = "assets:review";

/** Whether a caller may give verdicts of this role: its own, or any for an admin, who can create tokens. */
export const mayActAs = (caller: Caller, role: string): boolean =>
  isAdmin(caller) || reviewRoleOf(caller) === role;

/**
 * The name of the token behind a caller, under which it is found again after a rotation; null for an admin
 * without one, on the command line of the server or after a sign-in link.
 */
export function tokenNameOf(
  { config }: Pick<LibraryContext, "config">,
  { name, hash }: Caller,
): string | null {
  if (hash !== undefined) return name;
  const isConfigured = [...config.tokens.values()].some((token) => token.name === name);
  return isConfigured && name !== adminCaller.name ? name : null;
}

/** Whether the token of the creator is still valid, and still allows what the share does. */
export async function creatorAllows(
  { config, data, now }: Needs,
  { creator, project, role }: Pick<ShareRow, "creator" | "project" | "role">,
): Promise<boolean> {
  if (creator === null) return true;
  const configured = config.tokens.values().find(({ name }) => name === creator);
  const token = configured ?? callerOfToken(await data.tokenNamed(creator), now());
  return (
    token !== null &&
    grants(token.scopes, creatorScope) &&
    (token.projects?.includes(project) ?? true) &&
    (role === null || mayActAs(token, role))
  );
}

export async function shareState(ctx: Needs, share: ShareRow): Promise<ShareState> {
  if (share.revoked_at !== null) return "revoked";
  if (share.expires_at <= ctx.now()) return "expired";
  return (await creatorAllows(ctx, share)) ? "active" : "suspended";
}

/** The asset that a share shows now: the version that was shared, or the newest one. */
export async function sharedAsset(
  { data }: Pick<LibraryContext, "data">,
  { asset, root_id, follows, project }: ShareRow,
): Promise<AssetRow | null> {
  if (follows === "fixed") return data.asset([project], asset);
  const newest = (await data.versions(root_id)).at(-1);
  return newest?.project === project ? newest : null;
}

export interface LiveShare {
  share: ShareRow;
  asset: AssetRow;
}

/** A share that works, with its asset; null for every reason why one does not. */
export async function liveShare(ctx: Needs, share: ShareRow | null): Promise<LiveShare | null> {
  if (!share || (await shareState(ctx, share)) !== "active") return null;
  const asset = await sharedAsset(ctx, share);
  return asset && { share, asset };
}
