/** The assets of a project: thumbnails, and a link to its review queue. */

import type { Asset, AssetList } from "../../library/assets/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import type { QueueItem } from "../../library/review-queue/items.ts";
import { loadProjectPending } from "../../library/review-queue/review-queue.ts";
import {
  groupBySet,
  loadSetStatuses,
  type SetOfVariants,
  type SetStatuses,
  setKey,
} from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import { deskUrl } from "../assets/asset.tsx";
import { Tile } from "../assets/tiles.tsx";
import { countText } from "../format.ts";
import { EmptyState, hasScope } from "../layout.tsx";
import { newLinkUrl } from "../shares/lists.tsx";
import { SetCard } from "../variant-sets/set-card.tsx";
import { callOperation, readFor, type View } from "../view.ts";

const shownMax = 6;
/** The list begins with the pending assets, which may all belong to one set. */
const listedMax = 60;

export interface ProjectAssets {
  /** What waits first, then newest first; a variant set is one. */
  shown: (Asset | SetOfVariants<Asset>)[];
  setStatuses: SetStatuses;
  /** How many things wait, up to `countMax`. */
  pending: number;
  first: QueueItem | null;
}

/** @returns null if the visitor may not read assets */
export async function loadProjectAssets(view: View, project: string): Promise<ProjectAssets | null> {
  if (!hasScope(view, "assets:read")) return null;
  const { ctx, visitor } = view;
  const list = await callOperation<AssetList>(view, listAssets, { project, limit: listedMax });
  const pending = await readFor(view, loadProjectPending(ctx, { project, max: shownMax }, visitor.caller));
  const others = list.assets.filter(({ status }) => status !== "pending" && status !== "superseded");
  const { single, sets } = groupBySet([...pending.assets, ...others]);
  const newestFirst = (a: Asset, b: Asset) => rankOf(b) - rankOf(a) || (a.created_at < b.created_at ? 1 : -1);
  const shown = [...single, ...sets].sort((a, b) => newestFirst(firstOf(a), firstOf(b))).slice(0, shownMax);
  return {
    shown,
    setStatuses: await loadSetStatuses(ctx, sets),
    pending: pending.count,
    first: pending.first,
  };
}

const rankOf = ({ status }: Asset): number => Number(status === "pending");
const firstOf = (one: Asset | SetOfVariants<Asset>): Asset => ("variants" in one ? one.variants[0] : one);

export function ProjectAssetsSection({
  assets: { shown, setStatuses, pending, first },
  project,
  view,
}: {
  assets: ProjectAssets;
  project: string;
  view: View;
}) {
  const library = new URL(`/assets?project=${project}`, view.url);
  return (
    <section id="project-assets" data-live>
      <div class="head">
        <h2>Assets</h2>
        <a href={library.pathname + library.search}>All assets</a>
        <a href={`/projects/${project}/review`}>Review settings</a>
        {hasScope(view, "assets:review") && view.visitor.signedIn && (
          <a href={newLinkUrl(project)}>Share the queue</a>
        )}
        {first && hasScope(view, "assets:review") && (
          <a
            class="button primary to-queue"
            href={first.set ? setPath(project, first.set.set) : deskUrl(first, library)}
          >
            Review {countText(pending)} pending
          </a>
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No assets yet.">
          <p>
            Upload one with <code>svc asset push FILE --project {project}</code>
          </p>
        </EmptyState>
      ) : (
        <ul class="grid">
          {shown.map((one) =>
            "variants" in one ? (
              <SetCard key={one.set} {...one} statuses={setStatuses.get(setKey(project, one.set)) ?? []} />
            ) : (
              <Tile key={one.id} asset={one} url={library} isSelectable={false} />
            ),
          )}
        </ul>
      )}
    </section>
  );
}
