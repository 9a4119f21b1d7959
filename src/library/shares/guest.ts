/** People who use a share link: the name they type, the caller that acts for them, and what they see of others. */

import type { Caller } from "../../core/auth/caller.ts";
import { normalizeUnicode } from "../../core/lib/strings/nfc.ts";
import { badRequest } from "../../core/problem.ts";
import { toAnnotation } from "../annotations/rendered-annotation.ts";
import type { AnnotationRow } from "../annotations/rows.ts";
import { perVersionMax } from "../annotations/rule.ts";
import type { Annotation } from "../annotations/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import type { LiveShare } from "./access.ts";
import { guestReader } from "./reader.ts";
import type { ShareRow } from "./rows.ts";
import { type NameSource, nameBytesMax, type ShareRights, shareRights } from "./schema.ts";
import { sessionSeconds, sharePath } from "./secret.ts";

/** Follow every name: no token and no verified person can have an actor like them. */
const marks: Record<NameSource, string> = {
  typed: "(not-verified)",
  recipient: "(not-verified)",
  mailed: "(mailed-link)",
};

/** A name without invisible characters, which could hide who it is or reverse the text around it. */
export const visibleName = (typed: string): string =>
  normalizeUnicode(typed)
    .replace(/\s+/gu, " ")
    .replace(/\p{C}|\p{Default_Ignorable_Code_Point}/gu, "")
    .trim();

/** The name of the person that a link was made for; null for a link whose people type theirs. */
export const recipientName = ({ name_source, reviewer }: Pick<ShareRow, "name_source" | "reviewer">) =>
  name_source === "typed" ? null : reviewer;

/**
 * The name under which a form is sent: that of the recipient, else the one that was typed.
 * @throws {Problem} 400 if nothing of it is visible, or if it is too long
 */
export function guestName(share: Pick<ShareRow, "name_source" | "reviewer">, typed: string): string {
  const name = recipientName(share) ?? visibleName(typed);
  if (name === "") throw badRequest("Type your name, so that the team knows who this is from.");
  if (Buffer.byteLength(name) > nameBytesMax)
    throw badRequest(`The name is longer than ${nameBytesMax} bytes. Type a shorter one.`);
  return name;
}

/** `Ana-Lima`: a name as actors have it, without spaces. */
export const nameInActor = (name: string): string => name.replace(/\s+/g, "-");

/** `human:Ana-Lima(not-verified)` */
export const guestActor = ({ name_source }: Pick<ShareRow, "name_source">, name: string): string =>
  `human:${nameInActor(name)}${marks[name_source]}`;

const nameCookieName = "svc_share_name";

/** The `Set-Cookie` value with the typed name, for the next form: for its share only, as long as a session. */
export function nameCookie(
  { config }: Pick<LibraryContext, "config">,
  { id }: Pick<ShareRow, "id">,
  typed: string,
): string {
  const secure = config.siteUrl.startsWith("https:") ? "; Secure" : "";
  return (
    `${nameCookieName}=${encodeURIComponent(typed)}; Path=${sharePath}/${id}; HttpOnly; SameSite=Lax; ` +
    `Max-Age=${sessionSeconds}${secure}`
  );
}

/** The name in a `Cookie` header; empty without one. It is what a browser sent: text, not a proof. */
export const rememberedName = (cookies: string | null): string =>
  new Bun.CookieMap(cookies ?? "").get(nameCookieName) ?? "";

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

/** Whether a share has a right: each includes those before it. */
export const hasRight = ({ rights }: Pick<ShareRow, "rights">, right: ShareRights): boolean =>
  shareRights.indexOf(rights) >= shareRights.indexOf(right);

/** Whether the page of a share has annotations at all. */
export const hasAnnotations = (share: Pick<ShareRow, "rights" | "annotations">): boolean =>
  share.annotations === "all" || hasRight(share, "comment");

/**
 * The annotations and replies of the version that a share shows, and, if it follows the newest version, those
 * of earlier ones that are not settled.
 */
export async function shownAnnotations(
  { data }: Pick<LibraryContext, "data">,
  { share, asset }: LiveShare,
): Promise<Annotation[]> {
  if (!hasAnnotations(share)) return [];
  const limit = perVersionMax;
  const [ofVersion, ofChain] = await Promise.all([
    data.annotations({ asset_id: asset.id }, guestReader(share), { limit }),
    share.follows === "latest" ? data.unsettledAnnotations(asset.root_id, { limit }) : [],
  ]);
  const earlier = ofChain.filter(({ version }) => version < asset.version);
  const ids = earlier.map(({ id }) => id);
  const replies = ids.length > 0 ? await data.annotationReplies(ids, limit) : [];
  return visibleTo(share, [...ofVersion, ...earlier, ...replies]).map((row) => withoutNames(share, row));
}

/** The versions of what a share shows, oldest first: their sizes tell where annotations of earlier ones belong. */
export const versionsOfShare = (
  { data }: Pick<LibraryContext, "data">,
  { asset }: LiveShare,
): Promise<AssetRow[]> => data.versions(asset.root_id);

/** Of the annotations of others, only those that still apply; of threads that are not shown, no reply. */
function visibleTo(share: ShareRow, rows: readonly AnnotationRow[]): AnnotationRow[] {
  const isVisible = (row: AnnotationRow) =>
    isOwn(share, row) || (share.annotations === "all" && row.state !== "draft" && row.state !== "withdrawn");
  const threads = new Set(rows.filter((row) => row.parent_id === null && isVisible(row)).map(({ id }) => id));
  return rows.filter((row) => threads.has(row.parent_id ?? row.id) && isVisible(row));
}

const isOwn = (share: ShareRow, { origin, reader }: AnnotationRow): boolean =>
  origin === "share" && reader === guestReader(share);

/** Names of the team stay inside, and a recipient does not learn who else has a link. */
function withoutNames(share: ShareRow, row: AnnotationRow): Annotation {
  const others = row.origin === "share" ? "someone with another link" : "the team";
  const by = isOwn(share, row) ? row.by.slice(row.by.indexOf(":") + 1) : others;
  return { ...toAnnotation(row), by, state_by: null };
}
