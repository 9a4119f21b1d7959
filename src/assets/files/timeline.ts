/** What a player shows of a file: read when the file is first viewed, then stored beside it. */
import type { Context } from "../../context.ts";
import { Cache } from "../../lib/cache.ts";
import { SharedWork } from "../../lib/shared-work.ts";
import type { Timeline } from "../../probe/port.ts";
import { variantKey } from "../../stores/keys.ts";
import type { Asset } from "../schema.ts";
import { storedFile } from "./stored-file.ts";

const filename = "timeline.json";
/** A page is not delayed for longer: the next one has it. */
const waitMs = 3_000;

/** Of this process, by id: many may open the page of a file that takes long to read. */
const loads = new SharedWork<Timeline | null>(waitMs);
/** Files that cannot be read, such as one that hangs its parser, and are not tried again for a while. */
const failures = new Cache<string, true>({ max: 1_000, maxAgeMs: 3_600_000 });

type Media = Pick<Asset, "id" | "kind" | "mime">;

/** Browsers decode other audio themselves. */
const hasTimeline = ({ kind, mime }: Media): boolean => kind === "video" || mime === "audio/wav";

/** By the id of the asset. One that cannot be read in time has none: the page works without it. */
export async function loadTimelines(
  ctx: Context,
  assets: (Media | null)[],
): Promise<ReadonlyMap<string, Timeline>> {
  const timelines = new Map<string, Timeline>();
  const load = async ({ id }: Media) => {
    const found = await loads.run(id, () => loadTimeline(ctx, id)).catch(() => null);
    if (found !== null && found !== "running") timelines.set(id, found);
  };
  await Promise.all(assets.map((asset) => asset && hasTimeline(asset) && load(asset)));
  return timelines;
}

async function loadTimeline({ data, store, probe }: Context, id: string): Promise<Timeline | null> {
  const asset = await data.asset(null, id);
  if (!store || !asset?.key || failures.get(id)) return null;
  const { key, size, mime, uploader } = asset;
  const stored = await store.get(variantKey(id, filename));
  if (stored) return (await new Response(stored.body).json()) as Timeline;
  const file = storedFile(store, { key, size, owner: uploader ?? undefined });
  const timeline = await probe.timeline(file, mime);
  if (!timeline) failures.set(id, true);
  else {
    const text = new Blob([JSON.stringify(timeline)]);
    const options = { type: "application/json", maxBytes: text.size };
    await store.put(variantKey(id, filename), text.stream(), options).catch(() => {}); // read-only
  }
  return timeline;
}
