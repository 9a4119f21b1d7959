/** A group of tiles, and the buttons that decide about all of it. */
import type { PendingGroup } from "../../library/comparisons/schema.ts";
import { urlWith } from "../view.ts";
import type { ShownGroups } from "./load-groups.ts";
import { approveField, groupField, onlyParameter, rejectField } from "./parameters.ts";
import { BulkTile } from "./tile.tsx";
import { groupWords } from "./words.ts";

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
          <GroupButtons at={at} ids={ids} isAlike={words.isAlike} />
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
