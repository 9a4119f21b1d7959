/** Assets as tiles and as table rows, each with a checkbox for bulk review. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { Decision } from "../../library/verdicts/schema.ts";
import { Actor } from "../actor.tsx";
import { formatBytes, formatDuration } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { Time } from "../time.tsx";
import { urlWith } from "../view.ts";
import { deskUrl, drawnPath, KindIcon, ListedStatus, SmallThumb } from "./asset.tsx";

/** Of a tile; the page of the asset has all. */
const tagsMax = 3;

interface TileProps {
  asset: Asset;
  /** That it had before it was replaced. */
  verdict?: Decision | undefined;
  url: URL;
  isSelectable: boolean;
}

export function Tile({ asset, verdict, url, isSelectable }: TileProps) {
  return (
    <li class={asset.version > 1 && asset.status !== "superseded" ? "tile stacked" : "tile"}>
      <a href={deskUrl(asset, url)}>
        <Thumb asset={asset} />
        <bdi class="tile-title">{asset.title}</bdi>
      </a>
      <div class="tile-state">
        <p class="soft">
          <ListedStatus status={asset.status} verdict={verdict} />
          <span>
            v{asset.version} · {asset.project}
          </span>
        </p>
        {isSelectable && asset.status === "pending" && <SelectBox asset={asset} />}
      </div>
      {asset.tags.length > 0 && (
        <p class="tags">
          {asset.tags.slice(0, tagsMax).map((tag) => (
            <a key={tag} href={urlWith(url, { query: tag, cursor: null, reviewed: null })}>
              <bdi>{tag}</bdi>
            </a>
          ))}
        </p>
      )}
    </li>
  );
}

/** The thumbnail, or a picture that is drawn of the file; the duration of video and audio. */
export const Thumb = ({ asset }: { asset: Asset }) => (
  <span class="thumb">
    {asset.url === null ? (
      <>
        <Icon name="cross" />
        <span class="soft">{withoutFile(asset)}</span>
      </>
    ) : (
      <>
        <Picture asset={asset} />
        {asset.kind !== "image" && asset.kind !== "file" && (
          <span class="badge">
            <KindIcon kind={asset.kind} />{" "}
            {asset.duration_ms === null ? asset.kind : formatDuration(asset.duration_ms)}
          </span>
        )}
      </>
    )}
  </span>
);

/** What a list says of an asset without a file: retention deletes those of rejected and replaced versions. */
export const withoutFile = ({ expires_at }: Asset): string => (expires_at ? "File deleted" : "No file");

/** A larger SVG is not loaded by a list. */
const svgBytesMax = 256 * 1024;

/** Without a thumbnail, browsers show a small SVG and a frame of a video themselves. */
export function Picture({ asset: { id, kind, mime, size, thumb_url, url } }: { asset: Asset }) {
  const isDrawing = mime === "image/svg+xml" && size <= svgBytesMax;
  // The first frame of a video may be black.
  if (!thumb_url && kind === "video")
    return <video src={`${url}#t=1`} preload="metadata" muted playsInline tabIndex={-1} aria-hidden="true" />;
  const src = thumb_url ?? (isDrawing && url ? url : drawnPath({ id }));
  return <img src={src} alt="" loading="lazy" />;
}

/** Works only with scripts, so it is hidden until the script shows it. */
const SelectBox = ({ asset }: { asset: Asset }) => (
  <label class="choice" hidden>
    <input
      type="checkbox"
      value={asset.id}
      data-sha256={asset.sha256}
      data-status={asset.status}
      data-reviewed={asset.reviewed_at ?? ""}
      data-title={isolateBidi(asset.title)}
    />
    <span class="visually-hidden">
      Select <bdi>{asset.title}</bdi>
    </span>
  </label>
);

interface RowsProps {
  assets: Asset[];
  verdicts: ReadonlyMap<string, Decision>;
  url: URL;
  isSelectable: boolean;
}

export function Rows({ assets, verdicts, url, isSelectable }: RowsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="wide-table" tabIndex={0} aria-label="Assets">
      <table>
        <thead>
          <tr>
            {isSelectable && (
              <th scope="col">
                <span class="visually-hidden">Selected</span>
              </th>
            )}
            {["Title", "Status", "Version", "Kind", "Size", "Project", "Created", "Created by"].map(
              (name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset.id}>
              {isSelectable && (
                <td class="choose">{asset.status === "pending" && <SelectBox asset={asset} />}</td>
              )}
              <td class="title">
                <span>
                  <SmallThumb asset={asset} />
                  <a href={deskUrl(asset, url)}>
                    <bdi>{asset.title}</bdi>
                  </a>
                </span>
              </td>
              <td>
                <ListedStatus status={asset.status} verdict={verdicts.get(asset.id)} />
              </td>
              <td>{asset.version}</td>
              <td>{asset.kind}</td>
              <td>{formatBytes(asset.size)}</td>
              <td>{asset.project}</td>
              <td>
                <Time ts={asset.created_at} />
              </td>
              <td>
                <Actor of={asset.created_by} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
