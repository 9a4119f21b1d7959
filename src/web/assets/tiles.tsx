/** @jsxImportSource preact */
/** Assets as tiles and as table rows, each with a checkbox for bulk review. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { missingThumbnailReason } from "../../files/probe/thumbnails/missing-thumbnail.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { Actor } from "../actor.tsx";
import { formatBytes, formatDuration, formatMimeType } from "../format.ts";
import { Time } from "../time.tsx";
import { deskUrl, KindIcon, SmallThumb, Status } from "./asset.tsx";

export function Tile({ asset, url, isSelectable }: { asset: Asset; url: URL; isSelectable: boolean }) {
  return (
    <li class="tile">
      <a href={deskUrl(asset, url)}>
        <Thumb asset={asset} />
        <bdi class="tile-title">{asset.title}</bdi>
      </a>
      <p class="soft">
        <Status status={asset.status} />
        <span>
          v{asset.version} · {asset.project}
        </span>
      </p>
      {isSelectable && asset.status === "pending" && <SelectBox asset={asset} />}
    </li>
  );
}

/** The thumbnail, or the kind and size of an asset without one; the duration of video and audio. */
export const Thumb = ({ asset }: { asset: Asset }) => (
  <span class="thumb" title={hasPicture(asset) ? undefined : missingThumbnailReason(asset)}>
    {hasPicture(asset) ? (
      <>
        <Picture asset={asset} />
        {asset.kind !== "image" && (
          <span class="badge">
            <KindIcon kind={asset.kind} />{" "}
            {asset.duration_ms === null ? asset.kind : formatDuration(asset.duration_ms)}
          </span>
        )}
      </>
    ) : (
      <>
        <KindIcon kind={asset.kind} />
        <span class="soft">
          {asset.kind === "file" ? formatMimeType(asset.mime) : asset.kind},{" "}
          {asset.duration_ms === null ? formatBytes(asset.size) : formatDuration(asset.duration_ms)}
        </span>
      </>
    )}
  </span>
);

export const hasPicture = ({ thumb_url, kind, url }: Asset): boolean =>
  thumb_url !== null || (kind === "video" && url !== null);

/** Without a thumbnail, the browser shows a frame of a video itself. The first one may be black. */
export const Picture = ({ asset: { thumb_url, url } }: { asset: Asset }) =>
  thumb_url ? (
    <img src={thumb_url} alt="" loading="lazy" />
  ) : (
    <video src={`${url}#t=1`} preload="metadata" muted playsInline tabIndex={-1} aria-hidden="true" />
  );

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

export function Rows({ assets, url, isSelectable }: { assets: Asset[]; url: URL; isSelectable: boolean }) {
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
                  <SmallThumb asset={asset} kind={asset.kind} />
                  <a href={deskUrl(asset, url)}>
                    <bdi>{asset.title}</bdi>
                  </a>
                </span>
              </td>
              <td>
                <Status status={asset.status} />
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
