/** Measures of audio and video that mediabunny does not read, by music-metadata. */
import { parseBlob } from "music-metadata";
import type { BlockReader } from "../bytes.ts";
import { int32OrNull } from "../kind.ts";
import type { Measures } from "./containers.ts";

/** It reads pieces of its file, which it may be told to be a `Blob`. */
const blobOf = ({ size, read }: BlockReader): Blob =>
  ({
    size,
    type: "",
    slice: (start: number, end: number) => ({
      arrayBuffer: async () => read(start, end - start).slice().buffer,
    }),
  }) as unknown as Blob;

/** Throws if it knows no track of the file, or not how long it is. */
export async function readByMusicMetadata(file: BlockReader): Promise<Measures> {
  const { format } = await parseBlob(blobOf(file), { duration: true, skipCovers: true });
  const { duration = 0, trackInfo } = format;
  if (duration === 0) throw new TypeError("nothing to see or to hear");
  const video = trackInfo.find((track) => track.video)?.video;
  return {
    width: int32OrNull(video?.pixelWidth) || null,
    height: int32OrNull(video?.pixelHeight) || null,
    duration_ms: int32OrNull(Math.round(duration * 1000)) || null,
  };
}
