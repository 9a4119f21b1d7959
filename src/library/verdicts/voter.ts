/** Who a review counts for, and for which role. A reviewer can give any name as `by`; a voter cannot. */
import { adminCaller, type Caller } from "../../core/auth/caller.ts";
import { roleOf } from "../../core/auth/scopes.ts";
import type { AssetRow } from "../rows.ts";

const nameOf = (actor: string): string => actor.replace(/^[a-z]+:/, "");

/**
 * The name that a caller votes under: that of its token, or of the person who signed in with a link or works
 * on the command line of the server. Both have one vote, over the API and on the website. A share link votes
 * under its own name, whatever its visitor types.
 */
export function voterOf({ name, actor }: Pick<Caller, "name" | "actor">): string {
  const own = name === adminCaller.name ? (actor ?? name) : name;
  return (own ?? "").replace(/^human:/, "");
}

/** The reviewer that an approval counts for: the creator of the share link, or else the voter. */
export const principalOf = (caller: Pick<Caller, "name" | "actor" | "vouchedBy">): string =>
  caller.vouchedBy ?? voterOf(caller);

/** The role that the reviews of a caller count for; null for none. */
export const reviewRoleOf = ({
  reviewRole,
  role,
  scopes,
}: Pick<Caller, "reviewRole" | "role" | "scopes">): string | null => reviewRole ?? role ?? roleOf(scopes);

/** Whether a version was made by this principal or reviewer, under its own name or with its token. */
export function isMaker(
  { created_by, uploader }: Pick<AssetRow, "created_by" | "uploader">,
  { principal, reviewer }: { principal: string; reviewer: string },
): boolean {
  const maker = nameOf(created_by);
  return uploader === principal || maker === principal || maker === nameOf(reviewer);
}
