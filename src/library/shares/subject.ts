/** What a share link shows, asked of the database on every request: an asset, a variant set, or a review queue. */

import type { ThumbnailColumns } from "../../files/probe/port.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { approvedByCaller } from "../verdicts/approvals.ts";
import { guestReader } from "./reader.ts";
import type { ShareRow } from "./rows.ts";
import type { Share } from "./schema.ts";

type Needs = Pick<LibraryContext, "data">;

/**
 * The asset that a share shows now: the one that is named, if it belongs to the share; of a share of one
 * asset, if none is named, the newest version that it covers. Null for every other.
 */
export async function sharedAsset(
  { data }: Needs,
  share: ShareRow,
  named: string | null,
): Promise<AssetRow | null> {
  if (share.subject === "asset") {
    const covered = await coveredVersions({ data }, share);
    return (named === null ? covered.at(-1) : covered.find(({ id }) => id === named)) ?? null;
  }
  const asset = named === null ? null : await data.asset([share.project], named);
  return asset && belongsTo(share, asset) ? asset : null;
}

/**
 * The versions that a share of one asset covers, oldest first: the one that was shared and, if it follows the
 * newest one, those that came after it. The last one is what it shows.
 */
export async function coveredVersions({ data }: Needs, share: ShareRow): Promise<AssetRow[]> {
  const { subject, asset, root_id, follows, project } = share;
  if (subject !== "asset") return [];
  if (follows === "fixed") return [await data.asset([project], asset ?? "")].filter((row) => row !== null);
  const versions = await data.versions(root_id ?? "");
  if (versions.at(-1)?.project !== project) return [];
  return versions.slice(versions.findIndex(({ id }) => id === asset));
}

/** The assets that these links name, by their ids: one that was deleted is not among them. */
export async function loadSharedAssets(
  { data }: Needs,
  shares: readonly Pick<Share, "asset_id">[],
): Promise<ReadonlyMap<string, Asset>> {
  const ids = [...new Set(shares.flatMap(({ asset_id }) => asset_id ?? []))];
  const found = (await data.assetsById(ids)).map(({ wire }) => JSON.parse(wire) as Asset);
  return new Map(found.map((asset) => [asset.id, asset]));
}

type Listed = Pick<AssetRow, "status" | "kind" | "tags"> & { set?: string | null };

/** Whether an asset of its project belongs to a set or a queue. */
const belongsTo = ({ subject, set, kind, tag }: ShareRow, asset: Listed): boolean =>
  subject === "set"
    ? asset.set === set && asset.status !== "superseded"
    : asset.status === "pending" &&
      (kind === null || asset.kind === kind) &&
      (tag === null || asset.tags.includes(tag));

/** An asset in the list of a set or a queue. */
export type SharedItem = Pick<AssetRow, "id" | "title" | "kind" | "status" | "key"> & ThumbnailColumns;

/** Assets of a list; a queue with a tag is searched in this many. */
const listMax = 200;
const searchedMax = 1_000;

/**
 * The assets of a set or a queue, oldest first, so that new ones come last, without those that the link has
 * approved already. Of a share of one asset none.
 */
export async function sharedItems({ data }: Needs, share: ShareRow): Promise<SharedItem[]> {
  if (share.subject === "asset") return [];
  const name = guestReader(share);
  const [items, approved] = await Promise.all([listItems(data, share), approvedByCaller({ data }, { name })]);
  return items.filter(({ id }) => !approved.has(id)).slice(0, listMax);
}

async function listItems(data: LibraryReads, share: ShareRow): Promise<SharedItem[]> {
  const { subject, project, set, kind, tag } = share;
  if (subject === "set") return data.variants(project, set ?? "", listMax);
  const pending = await data.assets([project], {
    status: "pending",
    ...(kind !== null && { kind }),
    order: "oldest",
    limit: tag === null ? listMax : searchedMax,
  });
  return pending.flatMap(({ wire, ...row }) => {
    const asset: Asset = JSON.parse(wire);
    return belongsTo(share, asset) ? [{ ...row, title: asset.title, kind: asset.kind }] : [];
  });
}
