/** A group of tiles, and the buttons that decide about all of it. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { PendingGroup, PendingItem } from "../../library/comparisons/schema.ts";
import type { EarlierVersion } from "../../library/verdicts/earlier.ts";
import { Thumb } from "../assets/tiles.tsx";
import { pickField } from "../variant-sets/parameters.ts";
import { urlWith } from "../view.ts";
import type { ShownGroups } from "./load-groups.ts";
import { areaOf, Outlines } from "./outlines.tsx";
import { approveField, groupField, onlyParameter, rejectField } from "./parameters.ts";
import { changeText, groupWords, versionText } from "./words.ts";

interface GroupProps {
  group: PendingGroup;
  found: ShownGroups;
  at: number;
  canReview: boolean;
  picked: ReadonlySet<string>;
  url: URL;
}

export function BulkGroup({ group, found, at, canReview, picked, url }: GroupProps) {
  const { kind, count, items } = group;
  const { earlier, own } = found;
  const ids = group.ids.filter((id) => !own.has(id));
  const words = groupWords[kind];
  const title = words.title(count);
  const tiles = (
    <ol class="bulk-tiles">
      {items.map((item) => (
        <BulkTile
          key={item.asset.id}
          item={item}
          earlier={earlier.get(item.asset.id)}
          isOwn={own.has(item.asset.id)}
          canReview={canReview && kind !== "waiting"}
          isPicked={picked.has(item.asset.id)}
        />
      ))}
    </ol>
  );
  return (
    <section class="bulk-group" data-group={kind} aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        {canReview && kind !== "waiting" && ids.length > 0 && (
          <GroupButtons at={at} ids={ids} isAlike={words.isAlike ?? false} />
        )}
      </div>
      <p class="soft">{words.text}</p>
      {kind === "same" ? (
        <details data-key="same" open={url.searchParams.get(onlyParameter) === "same"}>
          <summary>{items.length < count ? `Show ${items.length} of them` : "Show them"}</summary>
          {tiles}
          {items.length < count && <a href={urlWith(url, { [onlyParameter]: "same" })}>Show all {count}</a>}
        </details>
      ) : (
        tiles
      )}
      {kind !== "same" && items.length < count && (
        <p class="soft">{count - items.length} more follow when these are decided.</p>
      )}
    </section>
  );
}

interface GroupButtonsProps {
  at: number;
  ids: readonly string[];
  isAlike: boolean;
}

/**
 * What is picked is left out. Where changes are not like each other, only what a person has looked at can be
 * approved together, which takes the script.
 */
const GroupButtons = ({ at, ids, isAlike }: GroupButtonsProps) => (
  <p class="buttons" hidden={!isAlike}>
    {isAlike && <input type="hidden" name={groupField(at)} value={ids.join()} />}
    <button type="submit" name={approveField} value={at} class="primary">
      Approve <span data-count>{ids.length}</span>
    </button>
    <button type="submit" name={rejectField} value={at} class="danger" formNoValidate>
      Reject <span data-count>{ids.length}</span>
    </button>
  </p>
);

interface TileProps {
  item: PendingItem;
  earlier: EarlierVersion | undefined;
  /** Whether the visitor made it, and so cannot approve it. */
  isOwn: boolean;
  canReview: boolean;
  isPicked: boolean;
}

function BulkTile({ item, earlier, isOwn, canReview, isPicked }: TileProps) {
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
