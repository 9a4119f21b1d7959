/** Schemas of what identifies an asset and its file. Rooms of which assets are a part import them from here. */
import { Type } from "@sinclair/typebox";
import { Name, Uri } from "../../core/wire.ts";

export const ulidPattern = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
export const assetId = (options: object) => Name(64, `^${ulidPattern}$`, options);
export const AssetId = assetId({
  description: "Asset id, a ULID.",
  examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5D"],
});
export const Sha256 = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 of the file, in hex.",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
});
export const ReviewUrl = Uri({
  description: "The page where a person reviews it, while it is pending. Not in asset lists.",
});
