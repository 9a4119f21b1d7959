/** @jsxImportSource preact */
/** The asset behind a share link, for people without a token. It works without scripts. */

import type { Context } from "../../api/context.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { loadTimelines } from "../../library/assets/files/timeline.ts";
import { assetFields } from "../../library/assets/rendered-asset.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { currentChecklist } from "../../library/checklists/checklists.ts";
import { downloadUrl, sharedUrls } from "../../library/shares/files.ts";
import { guestReader, hasRight } from "../../library/shares/guest.ts";
import { hasAnnotations } from "../../library/shares/shown-annotations.ts";
import type { OpenShare } from "../../library/shares/visits.ts";
import { Annotations } from "../annotations/annotations.tsx";
import { EarlierAnnotations } from "../annotations/earlier-annotations.tsx";
import type { RefusedAnnotation } from "../annotations/form/annotation-form.tsx";
import { isPlaceField } from "../annotations/form/place-fields.ts";
import { NameField } from "../annotations/form/sender-fields.tsx";
import { partsParameter } from "../annotations/list-pages.tsx";
import { AnnotationParts } from "../annotations/parts.tsx";
import { Status } from "../assets/asset.tsx";
import { loadLines } from "../desk/asset-text.ts";
import { SourceTabs } from "../desk/source-tabs.tsx";
import { isText, viewerScripts } from "../desk/viewer.tsx";
import { formatBytes } from "../format.ts";
import { Time } from "../time.tsx";
import { urlWith } from "../view.ts";
import { shareResponse } from "./document.tsx";
import { doneParameter } from "./notices.ts";
import { loadShareAnnotations } from "./share-annotations.ts";
import { SharedViewer } from "./shared-viewer.tsx";
import type { RefusedForm } from "./submit-guest-form.ts";
import { VerdictForm } from "./verdict-form.tsx";

export interface SharedPageProps {
  ctx: Context;
  open: OpenShare;
  /** Of the page, with the page of the list. */
  url: URL;
  /** A form that was not recorded. */
  refused?: RefusedForm;
  /** What was just recorded. */
  notice?: string;
}

/** Whether a script asks for the list of annotations alone. */
export const isPartOfPage = ({ searchParams }: URL): boolean => searchParams.has(partsParameter);

/** The asset with the URLs that the share gives out. */
const sharedAssetOf = (ctx: Context, open: OpenShare): Asset => {
  const asset = { ...assetFields(open.asset), public_url: null, ...sharedUrls(ctx, open) };
  return isText(asset) ? { ...asset, url: asset.url ?? asset.bundle_url } : asset;
};

/** The verdict of this share on this version, and its checklist. */
async function loadVerdict({ data }: Context, { share, asset }: OpenShare) {
  if (!hasRight(share, "verdict")) return null;
  const [verdicts, checklist] = await Promise.all([
    data.verdicts([asset.id]),
    currentChecklist(data, asset.project, asset.kind),
  ]);
  return { own: verdicts.find(({ voter }) => voter === guestReader(share)) ?? null, checklist };
}

/** What is left of a refused annotation: its place only if it is still about this file. */
function refusedAnnotation(refused: RefusedForm | undefined): RefusedAnnotation | undefined {
  if (refused?.kind !== "comment") return undefined;
  const { form, message, status } = refused;
  if (form.get("do") === "reply") return { message, form: new Map() };
  return { message, form: new Map([...form].filter(([name]) => status === 400 || !isPlaceField(name))) };
}

export async function sharedPage(props: SharedPageProps): Promise<Response> {
  const { ctx, refused, notice } = props;
  const open = { ...props.open, name: refused?.form.get("name") ?? props.open.name };
  const { share } = open;
  const url = new URL(urlWith(props.url, { [doneParameter]: null, [partsParameter]: null }), props.url);
  const asset = sharedAssetOf(ctx, open);
  const showsMarks = hasAnnotations(share);
  const [verdict, marks, timelines, text] = await Promise.all([
    loadVerdict(ctx, open),
    loadShareAnnotations(ctx, open, asset, url),
    loadTimelines(ctx, [asset]),
    showsMarks ? loadLines({ ctx, url }, asset) : null,
  ]);
  const list = { asset, marks, text, url, refused: refusedAnnotation(refused) };
  const { islands, connectOrigins } = viewerScripts(ctx.config, [asset]);
  const response = { title: isolateBidi(asset.title), ...(refused && { status: refused.status }) };
  if (isPartOfPage(props.url))
    return shareResponse(ctx.config, {
      ...response,
      children: (
        <AnnotationParts {...list}>
          <div id="guest">
            <NameField name={open.name} />
          </div>
        </AnnotationParts>
      ),
    });
  return shareResponse(ctx.config, {
    ...response,
    scripts: ["times.js", "viewer.js", ...(showsMarks ? (["annotate.js"] as const) : []), ...islands],
    connectOrigins,
    children: (
      <div class="desk shared">
        <div class="head">
          <h1 title={asset.title}>
            <bdi>{asset.title}</bdi>
          </h1>
          <Status status={asset.status} />
          <span class="soft">version {asset.version}</span>
        </div>
        {asset.status === "superseded" && <Superseded version={asset.version} />}
        {notice && (
          <p class="notice good" role="status">
            {notice}
          </p>
        )}
        <div class="desk-columns">
          <div class="desk-viewer">
            {showsMarks && <SourceTabs asset={asset} url={url} />}
            <SharedViewer
              {...{ asset, text, pins: marks.pins, canMark: marks.forms.canAdd }}
              timeline={timelines.get(asset.id)}
              isAvailable={ctx.store !== null && open.asset.key !== null}
              watermark={share.allow_download ? null : share.recipient}
            />
          </div>
          <aside class="desk-sidebar" aria-label="Review">
            {showsMarks && <EarlierAnnotations {...marks} asset={asset} />}
            {verdict && (
              <VerdictForm
                {...{ open, ...verdict }}
                refused={refused?.kind === "verdict" ? refused : undefined}
              />
            )}
            {showsMarks && <Annotations {...{ ...marks, ...list }} />}
            <About ctx={ctx} open={open} asset={asset} />
          </aside>
        </div>
      </div>
    ),
  });
}

const Superseded = ({ version }: Pick<Asset, "version">) => (
  <p class="notice">
    A newer version has replaced this one. This link shows version {version} only: ask the person who sent it
    for a link to the newer one.
  </p>
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
