/** What was asked of earlier versions and is not settled: each with its place before and after. */
import type { Annotation } from "../../library/annotations/schema.ts";
import { placeLabel } from "../../library/annotations/text.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { PinLink, Replies, ReplyForm, StateButtons, StateLabel, WeightLabel } from "./annotation-item.tsx";
import type { AnnotationForms, AssetAnnotations } from "./asset-annotations.ts";
import { Crop } from "./crop.tsx";

interface EarlierProps extends Pick<AssetAnnotations, "earlier" | "replies"> {
  asset: Asset;
  /** The earlier versions by their ids, as far as their files can be shown. */
  versions: ReadonlyMap<string, Asset>;
  forms: AnnotationForms;
}

export function EarlierAnnotations({ asset, versions, earlier, replies, forms }: EarlierProps) {
  if (earlier.length === 0) return null;
  const byVersion = Map.groupBy(earlier, ({ version }) => version);
  return (
    <section class="annotations earlier" id="earlier-annotations" aria-label="Open annotations">
      {[...byVersion].map(([version, annotations]) => (
        <div key={version}>
          <h2>
            From version {version} <span class="soft">{annotations.length} open</span>
          </h2>
          <ol class="marks">
            {annotations.map((annotation) => (
              <EarlierItem
                key={annotation.id}
                annotation={annotation}
                asset={asset}
                forms={forms}
                before={versions.get(annotation.asset_id)}
                replies={replies.get(annotation.id) ?? []}
              />
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

/** Whether the upload of this version found the marked place as it was. */
function PlaceChip({ asset, id }: { asset: Asset; id: string }) {
  const place = asset.repeats?.places.find(({ annotation }) => annotation === id);
  if (place?.state === "unchanged") return <span class="chip unchanged">Unchanged here</span>;
  return place?.state === "changed" ? <span class="chip">Changed here</span> : null;
}

interface EarlierItemProps {
  annotation: Annotation;
  asset: Asset;
  before: Asset | undefined;
  replies: Annotation[];
  forms: AnnotationForms;
}

function EarlierItem({ annotation, asset, before, replies, forms }: EarlierItemProps) {
  const { n, body, weight, target, version, state } = annotation;
  const hasCrops = asset.kind === "image" && before?.kind === "image";
  return (
    <li id={`mark-${n}`} class={`mark ${weight}`} data-mark={n}>
      <p class="mark-head">
        <PinLink annotation={annotation} /> <WeightLabel annotation={annotation} />{" "}
        <span class="mark-place">{placeLabel(target)}</span>{" "}
        {state === "open" && !forms.sender && <PlaceChip asset={asset} id={annotation.id} />}
      </p>
      <p class="mark-body">
        <bdi>{body}</bdi>
      </p>
      {hasCrops && before && (
        <div class="crops">
          <Crop asset={before} target={target} label={`The place in version ${version}`} />
          <Crop asset={asset} target={target} label={`The place in version ${asset.version}`} />
        </div>
      )}
      <p class="soft">
        <StateLabel annotation={annotation} />
      </p>
      <Replies replies={replies} />
      <div class="mark-actions">
        {forms.canDecide && (
          <StateButtons
            annotation={annotation}
            forms={forms}
            states={{ honoured: "Mark as honored", ...(state === "addressed" && { open: "Open again" }) }}
          />
        )}
        {forms.canReply && <ReplyForm annotation={annotation} forms={forms} />}
      </div>
    </li>
  );
}
