/** What a player shows of a file: read when the file is first viewed, then stored beside it. */
import type { Context } from "../../context.ts";
import type { Timeline } from "../../probe/port.ts";
import { variantKey } from "../../stores/keys.ts";
import type { Asset } from "../schema.ts";
import { storedFile } from "./stored-file.ts";

const filename = "timeline.json";
/** A page is not delayed for longer: the next one has it. */
const waitMs = 3_000;

type Media = Pick<Asset, "id" | "kind" | "mime">;

/** Browsers decode other audio themselves. */
const hasTimeline = ({ kind, mime }: Media): boolean => kind === "video" || mime === "audio/wav";

/** By the id of the asset. One that cannot be read in time has none: the page works without it. */
export async function loadTimelines(
  ctx: Context,
  assets: (Media | null)[],
): Promise<ReadonlyMap<string, Timeline>> {
  const timelines = new Map<string, Timeline>();
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, waitMs);
  const loads = assets.flatMap((asset) => {
    if (!asset || !hasTimeline(asset)) return [];
    const load = loadTimeline(ctx, asset.id).then(
      (timeline) => timeline && timelines.set(asset.id, timeline),
    );
    return [load.catch(() => null)];
  });
  await Promise.race([Promise.all(loads), late.promise]);
  clearTimeout(timer);
  return timelines;
}

async function loadTimeline({ data, store, probe }: Context, id: string): Promise<Timeline | null> {
  const asset = await data.asset(null, id);
  if (!store || !asset?.key) return null;
  const { key, size, mime } = asset;
  const stored = await store.get(variantKey(id, filename));
  if (stored) return (await new Response(stored.body).json()) as Timeline;
  const timeline = await probe.timeline(storedFile(store, { key, size }), mime);
  if (timeline) {
    const text = new Blob([JSON.stringify(timeline)]);
    const options = { type: "application/json", maxBytes: text.size };
    await store.put(variantKey(id, filename), text.stream(), options).catch(() => {}); // read-only
  }
  return timeline;
}
