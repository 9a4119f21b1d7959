/** The library as tiles: one for each asset, whose versions it stands for, and one for each variant set. */
import type { Asset } from "../../library/assets/schema.ts";
import type { SetStatus } from "../../library/rows.ts";
import { groupBySet, loadSetStatuses, type SetOfVariants, setKey } from "../../library/variant-sets/group.ts";
import type { Decision } from "../../library/verdicts/schema.ts";
import { SetCard } from "../variant-sets/set-card.tsx";
import type { View } from "../view.ts";
import { Tile } from "./tiles.tsx";

type FoldedSet = SetOfVariants<Asset> & { statuses: SetStatus[] };
type GridItem = { asset: Asset } | { set: FoldedSet };

/** Folds the variants of a page into their sets, where the first of them is. A list of one set shows each. */
export async function foldSets(
  { ctx }: Pick<View, "ctx">,
  assets: Asset[],
  filters: Record<string, string>,
): Promise<GridItem[]> {
  if (filters.set || filters.versions === "all") return assets.map((asset) => ({ asset }));
  const { sets } = groupBySet(assets);
  const statuses = await loadSetStatuses(ctx, sets);
  const byFirst = new Map(sets.map((set) => [set.variants[0], set]));
  const folded = new Set(sets.flatMap(({ variants }) => variants));
  return assets.flatMap((asset): GridItem[] => {
    const set = byFirst.get(asset);
    if (set) return [{ set: { ...set, statuses: statuses.get(setKey(set.project, set.set)) ?? [] } }];
    return folded.has(asset) ? [] : [{ asset }];
  });
}

interface GridProps {
  items: GridItem[];
  /** Of the versions that were replaced, by their ids. */
  verdicts?: ReadonlyMap<string, Decision>;
  url: URL;
  isSelectable: boolean;
}

export const Grid = ({ items, verdicts, url, isSelectable }: GridProps) => (
  <ul class="grid">
    {items.map((item) =>
      "set" in item ? (
        <SetCard key={setKey(item.set.project, item.set.set)} {...item.set} />
      ) : (
        <Tile
          key={item.asset.id}
          asset={item.asset}
          verdict={verdicts?.get(item.asset.id)}
          url={url}
          isSelectable={isSelectable}
        />
      ),
    )}
  </ul>
);
