/** @jsxImportSource preact */
/** A pending asset as a tile: its image with what changed outlined, and a checkbox. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { PendingItem } from "../../library/comparisons/schema.ts";
import { Thumb } from "../assets/tiles.tsx";
import { pickField } from "../variant-sets/parameters.ts";
import { areaOf, Outlines } from "./outlines.tsx";
import { changeText } from "./words.ts";

interface TileProps {
  item: PendingItem;
  canReview: boolean;
  isPicked: boolean;
}

export function BulkTile({ item, canReview, isPicked }: TileProps) {
  const { asset, boxes } = item;
  const image = areaOf(asset);
  return (
    <li>
      <a href={`/assets/${asset.id}`} data-look={asset.id}>
        <Thumb asset={asset} />
        {image && boxes.length > 0 && (
          <svg class="outlines" viewBox={`0 0 ${image.w} ${image.h}`} aria-hidden="true">
            <Outlines boxes={boxes} image={image} />
          </svg>
        )}
        <bdi class="tile-title">{asset.title}</bdi>
      </a>
      <p class="soft">
        <span>{changeText(item)}</span>
        {canReview && (
          <label class="pick">
            <input
              type="checkbox"
              name={pickField(asset.id)}
              value="1"
              checked={isPicked}
              data-title={isolateBidi(asset.title)}
            />
            <span class="visually-hidden">Pick {asset.title}</span>
          </label>
        )}
      </p>
    </li>
  );
}
