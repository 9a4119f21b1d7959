/** What a repeated push would have changed: an asset keeps the metadata it was uploaded with. */
import { escapeControls } from "../../../../src/core/lib/strings/display-text.ts";
import type { Metadata, PushedAsset } from "./upload-file.ts";

/** Describes the fields of the asset that differ from what the push gave: `title "Map", no issue`. */
export function unchangedFields(asset: PushedAsset, given: Metadata): string {
  return Object.entries(given)
    .filter(([name, value]) => name in asset && !Bun.deepEquals(fieldOf(asset, name), value))
    .map(([name]) => describe(name, fieldOf(asset, name)))
    .join(", ");
}

const fieldOf = (asset: PushedAsset, name: string): unknown => asset[name as keyof PushedAsset];

function describe(name: string, value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return `no ${name}`;
  if (typeof value !== "string") return `${name} ${value}`;
  return `${name} "${escapeControls(value)}"`;
}
