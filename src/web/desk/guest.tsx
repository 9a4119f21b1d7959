/** People with a share link at the review desk: what it shows to them, and what they send. */
import type { Context } from "../../api/context.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, Problem, type Status } from "../../core/problem.ts";
import { type FileState, withFileState } from "../../library/assets/files/missing-file.ts";
import { assetFields } from "../../library/assets/rendered-asset.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import type { AssetRow } from "../../library/rows.ts";
import { downloadUrl, type SharedUrls, sharedUrls } from "../../library/shares/access.ts";
import { loadCoveredVersions } from "../../library/shares/covered-versions.ts";
import {
  guestActor,
  guestCaller,
  guestName,
  hasAnnotations,
  recipientName,
  shownAnnotations,
} from "../../library/shares/guest.ts";
import { sharePath } from "../../library/shares/secret.ts";
import { sharedAsset } from "../../library/shares/subject.ts";
import {
  type GuestAction,
  NoShare,
  type OpenShare,
  OtherReviewer,
  withVisit,
} from "../../library/shares/visits.ts";
import type { Sender } from "../annotations/asset-annotations.ts";
import { annotationInput } from "../annotations/form/annotation-input.ts";
import { NameField } from "../annotations/form/sender-fields.tsx";
import { markParameter } from "../annotations/list-pages.tsx";
import { formatBytes } from "../format.ts";
import { Notice } from "../notice.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Form, type Guest, urlWith, type View } from "../view.ts";
import { withParameter } from "./compare/pick.tsx";
import { assetParameter } from "./guest-versions.tsx";
import { isText } from "./viewer.tsx";

/** Query parameter that names the form that was recorded. */
export const doneParameter = "done";

const notices = new Map([
  ["verdict", "Thank you. Your review was recorded."],
  ["comment", "Thank you. Your comment was recorded."],
]);

export const guestPath = ({ share }: Pick<Guest, "share">): string => `${sharePath}/${share.id}`;

/** What the page says of the form that led to it. */
export const noticeOf = ({ searchParams }: URL): string | undefined =>
  notices.get(searchParams.get(doneParameter) ?? "");

/** The path that a form of a guest is posted to; of a queue or a set it names the asset. */
export const guestAction = ({ url }: View, guest: Guest, name: "verdict" | "comment"): string => {
  const query = urlWith(url, { [markParameter]: null }).slice(url.pathname.length);
  return `${guestPath(guest)}/${name}${query}`;
};

/**
 * The view of a guest. Its caller has no scopes, so that no operation reads for a guest: the desk shows what
 * the share gives out, and a form is sent as `guestCaller`.
 * @param url of the page, or of a form on it
 */
export function guestView(ctx: Context, open: OpenShare, url: URL): View {
  const page = new URL(guestPath(open) + url.search, url.origin);
  const isNamed = open.share.subject !== "asset" || url.searchParams.has(assetParameter);
  const named = isNamed ? open.asset.id : null;
  const caller = { ...guestCaller(open.share), scopes: new Set<never>() };
  return {
    ctx,
    url: new URL(urlWith(page, { [doneParameter]: null, [assetParameter]: named }), page),
    params: { id: open.asset.id },
    visitor: { caller, csrf: open.session.csrf, begun: null, signedIn: false },
    guest: { ...open, notice: noticeOf(url) },
  };
}

/** The columns of an asset that a guest sees. */
const sharedColumns = [
  "id",
  "title",
  "kind",
  "mime",
  "size",
  "version",
  "status",
  "created_by",
  "created_at",
  "project",
  "issue",
  "pr",
  "task",
  "description",
  "sha256",
  "width",
  "height",
  "duration_ms",
  "parent_id",
  "expires_at",
  "tags",
  "run_id",
  "set",
] as const satisfies readonly (keyof AssetRow)[];
type SharedColumn = (typeof sharedColumns)[number];

/** What stands in place of everything else, which the team alone knows. */
const withheld: Required<Omit<AssetDetail, SharedColumn | keyof SharedUrls | "review_url">> = {
  public_url: null,
  reviewed_by: null,
  reviewed_at: null,
  review_note: null,
  repeats: null,
  limits: [],
  task_url: null,
  review_request: null,
  approvals: null,
  approved_as: null,
  annotations_total: 0,
  versions: [],
  annotations: [],
  annotated_images: [],
  verdicts: [],
  provenance: [],
  removals: [],
};

/** A version that a share covers, with the URLs that it gives out. */
async function guestAsset(ctx: Context, guest: Guest): Promise<AssetDetail> {
  const fields = assetFields(guest.asset);
  const shared = Object.fromEntries(sharedColumns.map((name) => [name, fields[name]])) as Pick<
    typeof fields,
    SharedColumn
  >;
  const versions = await loadCoveredVersions(ctx, guest.share);
  const asset = { ...shared, ...withheld, versions, ...sharedUrls(ctx, guest) };
  return isText(asset) ? { ...asset, url: asset.url ?? asset.bundle_url } : asset;
}

export async function loadDeskAsset(view: View): Promise<AssetDetail & FileState> {
  const asset = view.guest
    ? await guestAsset(view.ctx, view.guest)
    : await callOperation<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  return withFileState(view.ctx, asset);
}

/** The version that the URL names to compare with; null for what the share does not cover. */
export async function loadGuestCompared(
  { ctx, url }: View,
  guest: Guest,
): Promise<(AssetDetail & FileState) | null> {
  const named = url.searchParams.get(withParameter);
  const asset = named && named !== guest.asset.id ? await sharedAsset(ctx, guest.share, named) : null;
  return asset && guest.share.subject === "asset"
    ? withFileState(ctx, await guestAsset(ctx, { ...guest, asset }))
    : null;
}

export const showsAnnotations = ({ guest }: View): boolean => !guest || hasAnnotations(guest.share);

/** Whether a file exists that the share does not give out, as browsers would download it. */
export const isWithheld = ({ ctx, guest }: View, { url, bundle_url, missing }: Asset & FileState): boolean =>
  guest !== undefined && ctx.store !== null && !missing && !url && !bundle_url;

const changed = "This version was reviewed or replaced since you opened it. Reload the page to see it.";

/**
 * What the desk says of a form that was refused with one of these statuses; null for another error. Guests do
 * not read the messages of conflicts, which name reviewers.
 */
export function refusalOf({ guest }: View, error: unknown, statuses: readonly Status[]): string | null {
  if (!(error instanceof Problem) || error instanceof NoShare || !statuses.includes(error.status))
    return null;
  return !guest || error.status === 400 || error instanceof OtherReviewer ? error.detail : changed;
}

/** The view whose next operation a guest sends: it is recorded in the name that was typed. */
const sender = (view: View, guest: Guest, action: GuestAction, name: string): View => ({
  ...view,
  ctx: withVisit(view.ctx, guest, action, name),
  visitor: { ...view.visitor, caller: guestCaller(guest.share) },
});

/** @throws {Problem} 409 if the form is about another file than the one that is shown now */
function requireShownFile({ asset }: Guest, form: Form): void {
  const sha256 = form.get("sha256");
  if (!sha256) throw badRequest("The form has no hash of the file. Reload the page.");
  if (sha256 !== asset.sha256) throw conflict(changed);
}

interface Sent {
  view: View;
  input: Record<string, unknown>;
}

/**
 * What the form of a review sends for a guest, beside its own fields.
 * @throws {Problem} 400 for a missing name, 409 if the asset changed
 */
export function guestReview(view: View, guest: Guest, form: Form): Sent {
  const decision = form.get("decision");
  if (decision !== "approved" && decision !== "rejected") throw badRequest("Choose Approve or Reject.");
  const name = guestName(guest.share, form.get("name") ?? "");
  requireShownFile(guest, form);
  if (guest.asset.status !== "pending") throw conflict(changed);
  return {
    view: sender(view, guest, decision, name),
    input: { by: guestActor(guest.share, name), seen_status: "pending", seen_reviewed_at: undefined },
  };
}

/**
 * An annotation of a guest, which the team sees immediately, or a reply to one that the share shows.
 * @throws {Problem} as `guestReview` @throws {NoShare} for a reply to another one
 */
export async function guestAnnotation(view: View, guest: Guest, form: Form): Promise<Sent> {
  const name = guestName(guest.share, form.get("name") ?? "");
  const input = annotationInput(guest.asset.id, form);
  if (!input.body) throw badRequest("Type a comment.");
  if (input.parent_id === undefined) requireShownFile(guest, form);
  else if (!(await shownAnnotations(view.ctx, guest)).some(({ id }) => id === input.parent_id))
    throw new NoShare();
  return {
    view: sender(view, guest, "commented", name),
    input: { ...input, draft: false, by: guestActor(guest.share, name) },
  };
}

export const senderOf = ({ name, share }: Guest): Sender => ({
  name,
  isFixed: recipientName(share) !== null,
});

/** The field for the name of a guest, which scripts replace with the one that was sent last. */
export const GuestName = ({ guest }: { guest: Guest }) => (
  <div id="guest">
    <NameField sender={senderOf(guest)} />
  </div>
);

export const GuestNotices = ({ guest: { notice, asset, share } }: { guest: Guest }) => (
  <>
    {asset.status === "superseded" && share.follows === "fixed" && (
      <p class="notice">
        A newer version has replaced this one. This link shows version {asset.version} only: ask the person
        who sent it for a link to the newer one.
      </p>
    )}
    <Notice text={notice} isGood />
  </>
);

/** What the share gives out, until when. */
export const AboutShare = ({ ctx, guest, asset }: { ctx: Context; guest: Guest; asset: Asset }) => (
  <section>
    <h2>About</h2>
    {asset.description && <p class="decision">{asset.description}</p>}
    <p class="soft">
      {asset.kind}, {formatBytes(asset.size)}
    </p>
    <p class="soft">
      This link is for <bdi>{guest.share.recipient}</bdi>. It works until{" "}
      <Time ts={fromMicros(guest.share.expires_at)} as="exact" />.
    </p>
    {downloadUrl(ctx, guest) === null ? (
      <p class="soft">Downloads are off. The label over the file is not part of it.</p>
    ) : (
      <p>
        <a class="button" href={`${guestPath(guest)}/download`}>
          Download
        </a>
      </p>
    )}
  </section>
);
