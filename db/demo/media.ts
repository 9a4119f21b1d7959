/**
 * Bytes of what was made beside code: drawn by test/demo-media, packed into one file that is part of the
 * program.
 */
import type { AssetRow } from "../../src/rows.ts";
import index from "./media/index.json";
import pack from "./media/pack.bin" with { type: "file" };

type Seen = Pick<
  AssetRow,
  "mime" | "kind" | "size" | "sha256" | "width" | "height" | "duration_ms" | "has_thumb" | "bundle_index"
>;

/** From which byte of the pack, and how many. */
type Place = [at: number, size: number];

interface Packed extends Omit<Seen, "size" | "has_thumb"> {
  place: Place;
  /** `thumb.webp`, `bundle/index.html`, … */
  variants: Record<string, Place>;
}

// safe because: the script that draws them writes no other shape, and a test reads every byte
const packed = index as unknown as Record<string, Packed[]>;

/** What the library says of these bytes, told when they were drawn: nothing is hashed at start. */
export function seenOf(project: string, filename: string, version: number): Seen {
  const { place, variants, ...seen } = packedOf(project, filename, version);
  return { ...seen, size: place[1], has_thumb: "thumb.webp" in variants };
}

/** Every object behind these rows, by its key. */
export function objectsOf(assets: AssetRow[]): Map<string, Blob> {
  const file = Bun.file(pack);
  const part = ([at, size]: Place) => file.slice(at, at + size);
  const objects = new Map<string, Blob>();
  for (const { id, key, project, version } of assets) {
    if (key === null) continue;
    const { place, variants } = packedOf(project, key.slice(key.lastIndexOf("/") + 1), version);
    objects.set(key, part(place));
    for (const [path, where] of Object.entries(variants)) objects.set(`_variants/${id}/${path}`, part(where));
  }
  return objects;
}

function packedOf(project: string, filename: string, version: number): Packed {
  const found = packed[`${project}/${filename}`]?.[version - 1];
  if (!found) throw new Error(`version ${version} of ${project}/${filename} was never drawn`);
  return found;
}
