/** URLs of the pages of assets, which is how events name the asset that they are about. */
import type { Config } from "../config.ts";
import { ulidPattern } from "./schema.ts";

type SiteConfig = Pick<Config, "siteUrl">;

/** The URL of the review desk, opened on this asset. */
export const assetPageUrl = ({ siteUrl }: SiteConfig, id: string): string => `${siteUrl}/assets/${id}`;

const assetPagePath = new RegExp(`/assets/(${ulidPattern})$`);

/** The id of the asset that an event is about; null for events from before they had a URL. */
export const assetIdOf = (url: string | null): string | null => assetPagePath.exec(url ?? "")?.[1] ?? null;
