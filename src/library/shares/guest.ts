/** People who use a share link: the name they type, and the caller that acts for them. */

import type { Caller } from "../../core/auth/caller.ts";
import { normalizeUnicode } from "../../core/lib/strings/nfc.ts";
import { badRequest } from "../../core/problem.ts";
import type { ShareRow } from "./rows.ts";
import { type ShareRights, shareRights } from "./schema.ts";

const nameBytesMax = 64;

/** Follows every typed name: no token and no verified person can have an actor like it. */
const notVerified = "(not-verified)";

/**
 * A typed name without invisible characters, which could hide who it is or reverse the text around it.
 * @throws {Problem} 400 if nothing is left, or if it is too long
 */
export function guestName(typed: string): string {
  const name = normalizeUnicode(typed)
    .replace(/\s+/gu, " ")
    .replace(/\p{C}|\p{Default_Ignorable_Code_Point}/gu, "")
    .trim();
  if (name === "") throw badRequest("Type your name, so that the team knows who this is from.");
  if (Buffer.byteLength(name) > nameBytesMax)
    throw badRequest(`The name is longer than ${nameBytesMax} bytes. Type a shorter one.`);
  return name;
}

/** `human:Ana-Lima(not-verified)`: the name as an actor, which has no spaces. */
export const guestActor = (name: string): string => `human:${name.replaceAll(" ", "-")}${notVerified}`;

/** Who created the link, as `voterOf` names them: its approval and theirs count once. */
const voucherOf = ({ creator, created_by }: ShareRow): string =>
  creator ?? created_by.replace(/^[a-z]+:/, "");

/** The caller of a share: what it may do in its project, until it expires. Its name is no token's. */
export const guestCaller = (share: ShareRow): Caller => ({
  name: guestReader(share),
  scopes: new Set(["assets:read", "assets:review"]),
  projects: [share.project],
  ...(share.role !== null && { reviewRole: share.role }),
  vouchedBy: voucherOf(share),
  expiresAt: share.expires_at,
  source: { via: "share" },
});

/** Under which the verdicts and comments of a share are found again, whatever name was typed. */
export const guestReader = ({ id }: Pick<ShareRow, "id">): string => `share:${id}`;

/** Whether a share has a right: each includes those before it. */
export const hasRight = ({ rights }: Pick<ShareRow, "rights">, right: ShareRights): boolean =>
  shareRights.indexOf(rights) >= shareRights.indexOf(right);
