/** What a player shows of a file: read when the file is first viewed, then stored beside it. */

import type { Timeline } from "../../../files/probe/port.ts";
import type { LibraryContext } from "../../context.ts";
import type { Asset } from "../schema.ts";
import { loadReading } from "./reading.ts";

type Media = Pick<Asset, "id" | "kind" | "mime">;

/** Browsers decode other audio themselves. */
const hasTimeline = ({ kind, mime }: Media): boolean => kind === "video" || mime === "audio/wav";

/** By the id of the asset. One that cannot be read in time has none: the page works without it. */
export async function loadTimelines(
  ctx: LibraryContext,
  assets: (Media | null)[],
): Promise<ReadonlyMap<string, Timeline>> {
  const timelines = new Map<string, Timeline>();
  const load = async ({ id }: Media) => {
    const found = await loadReading(ctx, id, "timeline.json", (source, mime) =>
      ctx.probe.timeline(source, mime),
    );
    if (found) timelines.set(id, found);
  };
  await Promise.all(assets.map((asset) => asset && hasTimeline(asset) && load(asset)));
  return timelines;
}
