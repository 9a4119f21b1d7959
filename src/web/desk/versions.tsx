/** @jsxImportSource preact */
/** The versions of an asset, and the form that uploads the next one. */
import type { AssetDetail } from "../../assets/schema.ts";
import { deskOf, SmallThumb, Status } from "../asset.tsx";
import { shortDay } from "../format.ts";
import { Lacks, maySay } from "../layout.tsx";
import { FileForm, Picker } from "../upload.tsx";
import { addressWith, type View } from "../view.ts";

export function Versions({ asset, view, other }: { asset: AssetDetail; view: View; other: string | null }) {
  const newest = asset.versions.at(-1);
  return (
    <section>
      <h2>Versions</h2>
      <ol class="versions" reversed>
        {asset.versions.toReversed().map((one) => (
          <li key={one.id} class={one.id === asset.id ? "current" : undefined}>
            <SmallThumb asset={one} kind={asset.kind} />
            <a href={deskOf(one, view.url)} data-desk aria-current={one.id === asset.id ? "true" : undefined}>
              Version {one.version}
            </a>
            <Status status={one.status} />
            <span class="soft">
              {shortDay(one.created_at)} by {one.created_by}
            </span>
            {one.id !== asset.id && (
              <a
                class="button"
                href={addressWith(view.url, { with: other === one.id ? null : one.id, reviewed: null })}
                data-desk
                data-compare={one.version < asset.version ? one.version : undefined}
              >
                {other === one.id ? "Stop comparing" : "Compare"}
                <span class="unseen"> with version {one.version}</span>
              </a>
            )}
          </li>
        ))}
      </ol>
      {newest?.id === asset.id && <Next asset={asset} view={view} />}
    </section>
  );
}

/** The upload form for the next version; the upload script handles it like any other. */
function Next({ asset, view }: { asset: AssetDetail; view: View }) {
  if (!view.ctx.store) return null;
  if (!maySay(view, "assets:write"))
    return <Lacks view={view} scope="assets:write" to="upload the next version" />;
  return (
    <FileForm view={view} label="Upload the next version">
      <input type="hidden" name="project" value={asset.project ?? ""} />
      <input type="hidden" name="replaces" value={asset.id} />
      {asset.issue && <input type="hidden" name="issue" value={asset.issue} />}
      {asset.pr && <input type="hidden" name="pr" value={asset.pr} />}
      <Picker label={`Upload version ${asset.version + 1}`} />
      <span class="soft">or drop or paste a file here. This replaces version {asset.version}.</span>
    </FileForm>
  );
}
