/** A pending asset as a tile: its image with what changed outlined, and a checkbox. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { PendingItem } from "../../library/comparisons/schema.ts";
import type { EarlierVersion } from "../../library/verdicts/earlier.ts";
import { Thumb } from "../assets/tiles.tsx";
import { pickField } from "../variant-sets/parameters.ts";
import { areaOf, Outlines } from "./outlines.tsx";
import { changeText, versionText } from "./words.ts";

interface TileProps {
  item: PendingItem;
  earlier: EarlierVersion | undefined;
  /** Whether the visitor made it, and so cannot approve it. */
  isOwn: boolean;
  canReview: boolean;
  isPicked: boolean;
}

export function BulkTile({ item, earlier, isOwn, canReview, isPicked }: TileProps) {
  const { asset, boxes } = item;
  const image = areaOf(asset);
  return (
    <li data-own={isOwn ? true : undefined}>
      <a href={`/assets/${asset.id}`} data-preview={asset.id}>
        <Thumb asset={asset} />
        {image && boxes.length > 0 && (
          <svg class="outlines" viewBox={`0 0 ${image.w} ${image.h}`} aria-hidden="true">
            <Outlines boxes={boxes} image={image} />
          </svg>
        )}
        <bdi class="tile-title">{asset.title}</bdi>
      </a>
      <p class="soft">
        <span>
          {[changeText(item), versionText(asset, earlier), isOwn && "made by you"]
            .filter(Boolean)
            .join(" · ")}
        </span>
        {canReview && !isOwn && (
          <label class="pick">
            <input
              type="checkbox"
              name={pickField(asset.id)}
              value="1"
              checked={isPicked}
              data-title={isolateBidi(asset.title)}
            />
            <span class="visually-hidden">Select {asset.title}</span>
          </label>
        )}
      </p>
    </li>
  );
}
