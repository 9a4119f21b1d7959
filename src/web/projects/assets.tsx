/** @jsxImportSource preact */
/** The assets of a project: thumbnails, and a link to its review queue. */
import type { Asset, AssetList } from "../../assets/schema.ts";
import { listAssets } from "../../operations/assets.ts";
import { deskUrl } from "../assets/asset.tsx";
import { Tile } from "../assets/tiles.tsx";
import { EmptyState, hasScope } from "../layout.tsx";
import { callOperation, type View } from "../view.ts";

const shownMax = 6;
/** The queue counts as far, see desk/queue.tsx. */
const pendingMax = 100;

export interface ProjectAssets {
  /** Pending assets first, then newest first. */
  shown: Asset[];
  /** How many are pending, as text: `100+` if there are more. */
  pending: string;
  first: Asset | undefined;
}

/** @returns null if the visitor may not read assets */
export async function loadProjectAssets(view: View, project: string): Promise<ProjectAssets | null> {
  if (!hasScope(view, "assets:read")) return null;
  const [list, queue] = await Promise.all([
    callOperation<AssetList>(view, listAssets, { project, limit: shownMax }),
    callOperation<AssetList>(view, listAssets, { project, status: "pending", limit: pendingMax }),
  ]);
  return {
    shown: list.assets,
    pending: `${queue.count}${queue.next_cursor === null ? "" : "+"}`,
    first: queue.assets[0],
  };
}

export function ProjectAssetsSection({
  assets: { shown, pending, first },
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
        {first && (
          <a class="button primary to-queue" href={deskUrl(first, library)}>
            Review {pending} pending
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
          {shown.map((asset) => (
            <Tile key={asset.id} asset={asset} url={library} isSelectable={false} />
          ))}
        </ul>
      )}
    </section>
  );
}
