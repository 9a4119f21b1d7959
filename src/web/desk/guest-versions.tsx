/** The versions that a share link covers, and one of them beside another, for people who came with it. */
import type { AssetDetail, AssetVersion } from "../../library/assets/schema.ts";
import { VersionStatus } from "../assets/asset.tsx";
import { Time } from "../time.tsx";
import { urlWith, type View } from "../view.ts";
import { alone, withParameter } from "./compare/pick.tsx";

interface GuestVersionsProps {
  asset: AssetDetail;
  view: View;
  /** Id of the version that it is compared with. */
  other: string | null;
}

export const GuestVersions = ({ asset, view, other }: GuestVersionsProps) => (
  <section>
    <h2>Versions</h2>
    <ol class="versions" reversed>
      {asset.versions.toReversed().map((version) => {
        const isShown = version.id === asset.id;
        return (
          <li key={version.id} class={isShown ? "current" : undefined}>
            <span class="small-thumb">
              <img src={version.thumb_url ?? pictureUrl(view, version)} alt="" loading="lazy" />
            </span>
            <a href={guestVersionUrl(view, version)} aria-current={isShown ? "true" : undefined}>
              Version {version.version}
            </a>
            <VersionStatus version={version} />
            <span class="soft">
              <Time ts={version.created_at} />
            </span>
            {!isShown && (
              <a
                class="button"
                href={urlWith(view.url, {
                  [withParameter]: other === version.id ? alone : version.id,
                  mode: null,
                })}
              >
                {other === version.id ? "Stop comparing" : "Compare"}
                <span class="visually-hidden"> with version {version.version}</span>
              </a>
            )}
          </li>
        );
      })}
    </ol>
  </section>
);

/** Query parameter that names the asset of a queue or a set, or a version of the only asset. */
export const assetParameter = "asset";

export const guestVersionUrl = ({ url }: View, { id }: Pick<AssetVersion, "id">): string =>
  urlWith(url, { [assetParameter]: id, [withParameter]: null, mode: null });

/** What svc draws of a file without a thumbnail. */
const pictureUrl = ({ url }: View, { id }: Pick<AssetVersion, "id">): string =>
  `${url.pathname}/picture?${assetParameter}=${id}`;
