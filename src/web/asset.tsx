/** @jsxImportSource preact */
/**
 * What the library and the desk share of an asset: its address within the filters, its status, what was just
 * said of it.
 */
import type { Asset, AssetDetail } from "../assets/schema.ts";
import { getAsset } from "../operations/assets.ts";
import { Icon, type IconName } from "./icons.tsx";
import { ask, filtersOf, type View } from "./view.ts";

export const assetFilters = ["project", "status", "kind", "issue", "pr"] as const;

/** Numbers of the address as the operations take them; what is none goes as it is and is refused there. */
export const numbered = (filters: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      (name === "issue" || name === "pr") && /^\d+$/.test(value) ? Number(value) : value,
    ]),
  );

/** The filters of an address as a query, with its question mark; empty where there are none. */
export function filterQuery(url: URL, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...filtersOf(url, assetFilters), ...more }).toString();
  return query && `?${query}`;
}

/** The desk at an asset, within the filters of the list. */
export const deskOf = ({ id }: Pick<Asset, "id">, url: URL): string => `/assets/${id}${filterQuery(url)}`;

export const kindIcons: Record<Asset["kind"], IconName> = {
  image: "image",
  video: "run",
  audio: "sound",
  pdf: "book",
  html: "globe",
  file: "layers",
};

export const SmallThumb = ({ asset, kind }: { asset: Pick<Asset, "thumb_url">; kind: Asset["kind"] }) => (
  <span class="small-thumb">
    {asset.thumb_url ? <img src={asset.thumb_url} alt="" loading="lazy" /> : <Icon name={kindIcons[kind]} />}
  </span>
);

const looks: Record<Asset["status"], [IconName, string]> = {
  pending: ["clock", "warn"],
  approved: ["check", "good"],
  rejected: ["cross", "bad"],
  superseded: ["layers", "quiet"],
  published: ["globe", "good"],
};

export function Status({ status }: Pick<Asset, "status">) {
  const [icon, tone] = looks[status];
  return (
    <span class={`status ${tone}`}>
      <Icon name={icon} /> {status}
    </span>
  );
}

/** What a form has just said, told by the page that follows it. */
export async function reviewedOf(view: View): Promise<AssetDetail | null> {
  const id = view.url.searchParams.get("reviewed");
  return id ? ask<AssetDetail>(view, getAsset, { id }) : null;
}

export const Reviewed = ({ asset }: { asset: AssetDetail | null }) =>
  asset && (
    <p class="notice good" role="status">
      <a href={`/assets/${asset.id}`}>
        <bdi>{asset.title}</bdi>
      </a>
      , version {asset.version}, is {asset.status}.
    </p>
  );
