/** URLs of the pages of assets, which is how events name the asset that they are about. */
import type { Config } from "../../core/config.ts";
import { type Asset, ulidPattern } from "./schema.ts";

export type SiteConfig = Pick<Config, "siteUrl">;

/** The URL of the review desk, opened on this asset. */
export const assetPageUrl = ({ siteUrl }: SiteConfig, id: string): string => `${siteUrl}/assets/${id}`;

/** Where a person reviews an asset, while it waits for that. */
export const reviewUrlOf = (
  config: SiteConfig,
  { id, status }: Pick<Asset, "id" | "status">,
): Pick<Asset, "review_url"> => (status === "pending" ? { review_url: assetPageUrl(config, id) } : {});

const assetPagePath = new RegExp(`/assets/(${ulidPattern})$`);

/** The id of the asset that an event is about; null for events from before they had a URL. */
export const assetIdOf = (url: string | null): string | null => assetPagePath.exec(url ?? "")?.[1] ?? null;
