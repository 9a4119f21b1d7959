/** Loads what the executable holds compressed, see cli/build/rare-packages.ts and packed-texts.ts. */
import { readFileSync } from "node:fs";
import { unpacked } from "../src/core/lib/packed-bytes.ts";

/** The text of a compressed file. */
export const packedText = (path: string): string =>
  new TextDecoder().decode(unpacked(new Uint8Array(readFileSync(path))));

const loaded = new Map<string, Promise<Record<string, unknown>>>();

/** The exports of a compressed module. Its text begins with `// @bun`, which Bun runs as it is. */
export function loadPacked(path: string): Promise<Record<string, unknown>> {
  const known = loaded.get(path);
  if (known) return known;
  const url = URL.createObjectURL(new Blob([packedText(path)], { type: "text/javascript" }));
  const module = import(url).finally(() => URL.revokeObjectURL(url)) as Promise<Record<string, unknown>>;
  loaded.set(path, module);
  return module;
}
