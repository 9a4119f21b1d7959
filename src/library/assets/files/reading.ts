/** What is read of a file when its page is first viewed, and then stored beside it: timelines, tables, fonts, 3D models. */

import { Cache } from "../../../core/lib/cache.ts";
import { SharedWork } from "../../../core/lib/shared-work.ts";
import { type FontContents, isFont } from "../../../files/probe/font/schema.ts";
import { isModel } from "../../../files/probe/model/model-types.ts";
import type { ModelContents } from "../../../files/probe/model/schema.ts";
import type { FileSource, Timeline } from "../../../files/probe/port.ts";
import { isTable, type TableContents } from "../../../files/probe/table/schema.ts";
import { variantKey } from "../../../files/stores/keys.ts";
import type { LibraryContext } from "../../context.ts";
import type { Asset } from "../schema.ts";
import { storedFile } from "./stored-file.ts";

/** A page is not delayed for longer: the next one has it. */
const waitMs = 3_000;

/** Of this process, by key: many may open the page of a file that takes long to read. */
const loads = new SharedWork<unknown>(waitMs);
/** Files that cannot be read, such as one that hangs its parser, and are not tried again for a while. */
const failures = new Cache<string, true>({ max: 1_000, maxAgeMs: 3_600_000 });

type Read<T> = (source: FileSource, mime: string) => Promise<T | null>;

/**
 * Returns what `read` returned for this file, now or earlier. Null if it returned null or takes too long.
 * @param filename of the stored JSON
 */
async function loadReading<T>(
  ctx: LibraryContext,
  id: string,
  filename: string,
  read: Read<T>,
): Promise<T | null> {
  const key = variantKey(id, filename);
  const found = await loads.run(key, () => loadOrRead(ctx, id, key, read)).catch(() => null);
  return found === "running" ? null : (found as T | null);
}

async function loadOrRead<T>(
  { data, store }: LibraryContext,
  id: string,
  readingKey: string,
  read: Read<T>,
): Promise<T | null> {
  const asset = await data.asset(null, id);
  if (!store || !asset?.key || failures.get(readingKey)) return null;
  const { key, size, mime, uploader } = asset;
  const stored = await store.get(readingKey);
  if (stored) return (await new Response(stored.body).json()) as T;
  const reading = await read(storedFile(store, { key, size, owner: uploader ?? undefined }), mime);
  if (!reading) failures.set(readingKey, true);
  else {
    const text = new Blob([JSON.stringify(reading)]);
    const options = { type: "application/json", maxBytes: text.size };
    await store.put(readingKey, text.stream(), options).catch(() => {}); // read-only
  }
  return reading;
}

/** Null for a damaged file, and for other files. */
export async function loadModel(
  ctx: LibraryContext,
  asset: Pick<Asset, "id" | "mime">,
): Promise<ModelContents | null> {
  return isModel(asset)
    ? loadReading(ctx, asset.id, "model.json", (source, mime) => ctx.probe.model(source, mime))
    : null;
}

/** Why the viewer cannot show the model; null if it can. */
export function modelProblem(model: ModelContents | null): string | null {
  if (!model) return "This file is not valid glTF 2.0, or could not be checked.";
  const { undecoded, missing } = model;
  if (missing.length > 0)
    return `This file refers to other files: ${missing.join(", ")}. Export it as one .glb to view it here.`;
  if (undecoded.length > 0)
    return `The viewer cannot decode ${undecoded.join(", ")}. Export it without that to view it here.`;
  return null;
}

const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? noun : nouns}`;

/** Such as `2 meshes, 1,200 triangles, 1 texture, no animation`. */
export const describeModel = ({ meshes, triangles, textures, animations }: ModelContents): string =>
  [
    plural(meshes, "mesh", "meshes"),
    ...[plural(triangles, "triangle"), plural(textures, "texture"), plural(animations, "animation")],
  ].join(", ");

/** What is known of the contents of a file, for its viewer and its picture. */
export interface Reading {
  /** What a player shows of a video or audio file. */
  timeline?: Timeline | null;
  table?: TableContents | null;
  font?: FontContents | null;
}

type Named = Pick<Asset, "id" | "kind" | "mime">;

/** By the id of the asset. What cannot be read in time is missing: the page works without it. */
export async function loadReadings(
  ctx: LibraryContext,
  assets: (Named | null)[],
): Promise<ReadonlyMap<string, Reading>> {
  const found = assets.flatMap((asset) =>
    asset ? [readingOf(ctx, asset).then((reading) => [asset.id, reading] as const)] : [],
  );
  return new Map(await Promise.all(found));
}

async function readingOf(ctx: LibraryContext, asset: Named): Promise<Reading> {
  const { probe } = ctx;
  const load = <T>(filename: string, read: Read<T>) => loadReading(ctx, asset.id, filename, read);
  if (hasTimeline(asset)) return { timeline: await load("timeline.json", probe.timeline) };
  if (isTable(asset)) return { table: await load("table.json", probe.table) };
  if (isFont(asset)) return { font: await load("font.json", probe.font) };
  return {};
}

const hasTimeline = ({ kind }: Named): boolean => kind === "video" || kind === "audio";
