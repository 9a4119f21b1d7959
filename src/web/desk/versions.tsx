/** The versions of an asset, and the form that uploads the next one. */
import type { AssetDetail } from "../../library/assets/schema.ts";
import { Actor } from "../actor.tsx";
import { deskUrl, SmallThumb, VersionStatus } from "../assets/asset.tsx";
import { FilePicker, UploadForm } from "../assets/upload.tsx";
import { hasScope, MissingScope } from "../layout.tsx";
import { Time } from "../time.tsx";
import { urlWith, type View } from "../view.ts";
import { alone, ComparePicker, type Group, hiddenFields } from "./compare/pick.tsx";

interface VersionsProps {
  asset: AssetDetail;
  view: View;
  /** Id of the asset that it is compared with. */
  other: string | null;
  /** What it can be compared with. */
  choices: Group[];
}

export function Versions({ asset, view, other, choices }: VersionsProps) {
  const newest = asset.versions.at(-1);
  return (
    <section>
      <h2>Versions</h2>
      <ol class="versions" reversed>
        {asset.versions.toReversed().map((version) => (
          <li key={version.id} class={version.id === asset.id ? "current" : undefined}>
            <SmallThumb asset={version} />
            <a
              href={deskUrl(version, view.url)}
              data-desk
              aria-current={version.id === asset.id ? "true" : undefined}
            >
              Version {version.version}
            </a>
            <VersionStatus version={version} />
            <span class="soft">
              <Time ts={version.created_at} /> by <Actor of={version.created_by} />
            </span>
            {version.id !== asset.id && (
              <a
                class="button"
                href={urlWith(view.url, { with: other === version.id ? alone : version.id, reviewed: null })}
                data-desk
                data-compare={version.id === asset.parent_id && version.id !== other}
              >
                {other === version.id ? "Stop comparing" : "Compare"}
                <span class="visually-hidden"> with version {version.version}</span>
              </a>
            )}
          </li>
        ))}
      </ol>
      <ComparePicker
        action={`/assets/${asset.id}`}
        hidden={hiddenFields(view)}
        groups={choices}
        left={other ?? firstOther(choices, asset.id)}
        right={asset.id}
      />
      {newest?.id === asset.id && <NextVersion asset={asset} view={view} />}
    </section>
  );
}

const firstOther = (choices: Group[], id: string): string | undefined =>
  choices.flatMap(({ options }) => options).find((option) => option.id !== id)?.id;

/** The upload form for the next version; the upload script handles it like any other. */
function NextVersion({ asset, view }: { asset: AssetDetail; view: View }) {
  if (!view.ctx.store) return null;
  if (!hasScope(view, "assets:write"))
    return <MissingScope view={view} scope="assets:write" to="upload the next version" />;
  return (
    <UploadForm view={view} label="Upload the next version">
      <input type="hidden" name="project" value={asset.project ?? ""} />
      <input type="hidden" name="replaces" value={asset.id} />
      {asset.issue && <input type="hidden" name="issue" value={asset.issue} />}
      {asset.task && <input type="hidden" name="task" value={asset.task} />}
      {asset.pr && <input type="hidden" name="pr" value={asset.pr} />}
      <FilePicker label={`Upload version ${asset.version + 1}`} />
      <span class="soft">or drop or paste a file here. This replaces version {asset.version}.</span>
    </UploadForm>
  );
}
