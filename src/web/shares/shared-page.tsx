/** @jsxImportSource preact */
/** The asset behind a share link, for people without a token. It works without scripts. */

import type { VNode } from "preact";
import { loadTimelines } from "../../assets/files/timeline.ts";
import { assetFields } from "../../assets/rendered-asset.ts";
import type { Asset } from "../../assets/schema.ts";
import { currentChecklist } from "../../checklists/checklists.ts";
import type { Context } from "../../context.ts";
import { isolateBidi } from "../../lib/strings/display-text.ts";
import { fromMicros } from "../../lib/time.ts";
import type { Timeline } from "../../probe/port.ts";
import { downloadUrl, sharedUrls } from "../../shares/files.ts";
import { guestReader, hasRight } from "../../shares/guest.ts";
import type { OpenShare } from "../../shares/visits.ts";
import { Status } from "../assets/asset.tsx";
import { isText, Viewer, viewerScripts } from "../desk/viewer.tsx";
import { formatBytes } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { Time } from "../time.tsx";
import { Comments } from "./comments.tsx";
import { shareResponse } from "./document.tsx";
import type { RefusedForm } from "./forms.ts";
import { VerdictForm } from "./verdict-form.tsx";

export interface SharedPageProps {
  ctx: Context;
  open: OpenShare;
  /** A form that was not recorded. */
  refused?: RefusedForm;
  /** What was just recorded. */
  notice?: string;
}

const sharedAssetOf = (ctx: Context, open: OpenShare): Asset => ({
  ...assetFields(open.asset),
  public_url: null,
  ...sharedUrls(ctx, open),
});

/** The annotations of a version that are searched for those of the share: all that it can have. */
const annotationsMax = 1_000;

/** The comments and the verdict of this share on this version, and its checklist. */
async function loadReview({ data }: Context, { share, asset }: OpenShare) {
  const reader = guestReader(share);
  const [annotations, verdicts, checklist] = await Promise.all([
    hasRight(share, "comment")
      ? data.annotations({ asset_id: asset.id }, reader, { limit: annotationsMax })
      : [],
    hasRight(share, "verdict") ? data.verdicts([asset.id]) : [],
    hasRight(share, "verdict") ? currentChecklist(data, asset.project, asset.kind) : null,
  ]);
  return {
    comments: annotations.filter((annotation) => annotation.reader === reader),
    own: verdicts.find(({ voter }) => voter === reader) ?? null,
    checklist,
  };
}

export async function sharedPage({ ctx, open, refused, notice }: SharedPageProps): Promise<Response> {
  const { share } = open;
  const asset = sharedAssetOf(ctx, open);
  const { comments, own, checklist } = await loadReview(ctx, open);
  const refusedOf = (form: RefusedForm["form"]) => (refused?.form === form ? refused : undefined);
  const { islands, connectOrigins } = viewerScripts(ctx.config, [asset]);
  const timelines = await loadTimelines(ctx, [asset]);
  return shareResponse(ctx.config, {
    title: isolateBidi(asset.title),
    scripts: ["times.js", "viewer.js", ...islands],
    connectOrigins,
    ...(refused && { status: refused.status }),
    children: (
      <div class="desk shared">
        <div class="head">
          <h1 title={asset.title}>
            <bdi>{asset.title}</bdi>
          </h1>
          <Status status={asset.status} />
          <span class="soft">version {asset.version}</span>
        </div>
        {notice && (
          <p class="notice good" role="status">
            {notice}
          </p>
        )}
        <div class="desk-columns">
          <div class="desk-viewer">
            <Marked label={share.allow_download ? null : share.recipient}>
              <SharedViewer
                asset={asset}
                timeline={timelines.get(asset.id)}
                isAvailable={ctx.store !== null && open.asset.key !== null}
              />
            </Marked>
          </div>
          <aside class="desk-sidebar" aria-label="Review">
            {hasRight(share, "verdict") && (
              <VerdictForm {...{ open, own, checklist }} refused={refusedOf("verdict")} />
            )}
            {hasRight(share, "comment") && (
              <Comments open={open} comments={comments} refused={refusedOf("comment")} />
            )}
            <About ctx={ctx} open={open} asset={asset} />
          </aside>
        </div>
      </div>
    ),
  });
}

/** The viewer of the desk; a file that browsers do not show has a message instead. */
function SharedViewer({
  asset,
  timeline,
  isAvailable,
}: {
  asset: Asset;
  timeline: Timeline | undefined;
  isAvailable: boolean;
}) {
  if (!isAvailable || asset.url || asset.bundle_url) {
    const shown = asset.url ?? asset.bundle_url;
    return <Viewer asset={isText(asset) ? { ...asset, url: shown } : asset} timeline={timeline} />;
  }
  return (
    <div class="viewer none">
      <Icon name="layers" />
      <p>Browsers can't show this type of file ({asset.mime}).</p>
    </div>
  );
}

/** Repeats the recipient's label over the viewer, as a reminder of whose link it is. */
const Marked = ({ label, children }: { label: string | null; children: VNode }) =>
  label === null ? (
    children
  ) : (
    <div class="watermarked">
      {children}
      <div class="watermark" aria-hidden="true">
        {Array.from({ length: 12 }, (_, index) => (
          <span key={index}>{isolateBidi(label)}</span>
        ))}
      </div>
    </div>
  );

const About = ({ ctx, open, asset }: { ctx: Context; open: OpenShare; asset: Asset }) => (
  <section>
    <h2>About</h2>
    {asset.description && <p class="decision">{asset.description}</p>}
    <p class="soft">
      {asset.kind}, {formatBytes(asset.size)}
    </p>
    <p class="soft">
      This link is for <bdi>{open.share.recipient}</bdi>. It works until{" "}
      <Time ts={fromMicros(open.share.expires_at)} as="date-time" />.
    </p>
    {downloadUrl(ctx, open) === null ? (
      <p class="soft">Downloads are off. The label over the file is not part of it.</p>
    ) : (
      <p>
        <a class="button" href={`/s/${open.share.id}/download`}>
          Download
        </a>
      </p>
    )}
  </section>
);
