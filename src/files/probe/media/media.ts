/** Duration and dimensions of audio and video, from container metadata: nothing is decoded. */
import {
  ADTS,
  CustomSource,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputFormat,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny";
import type { BlockReader } from "../bytes.ts";
import { codedProfile } from "../images/color-profile.ts";
import { type Inspection, int32OrNull, kindOf } from "../kind.ts";
import { limits } from "../limits.ts";
import { fromTags, textTags } from "../provenance/tags.ts";
import { type Measures, readAc3, readAmr, readAvi, readCaf, readFlv, readTheora } from "./containers.ts";
import { durationOfFrames } from "./mp3-frames.ts";
import { readMpeg } from "./mpeg.ts";

/** Supported containers. Playlists are left out: they reference other files. */
const formats = new Map<string, InputFormat[]>([
  ["video/mp4", [MP4, QTFF]],
  ["video/x-m4v", [MP4, QTFF]],
  ["video/3gpp", [MP4]],
  ["video/3gpp2", [MP4]],
  ["audio/mp4", [MP4]],
  ["video/quicktime", [QTFF, MP4]],
  ["video/webm", [WEBM, MATROSKA]],
  ["video/matroska", [MATROSKA]],
  ["audio/mpeg", [MP3]],
  ["audio/wav", [WAVE]],
  ["audio/ogg", [OGG]],
  ["audio/flac", [FLAC]],
  ["audio/aac", [ADTS]],
  ["video/mp2t", [MPEG_TS]],
]);

/** Loaded by the few files that need it. */
const readByMusicMetadata = async (file: BlockReader): Promise<Measures> =>
  (await import("./music-metadata.ts")).readByMusicMetadata(file);

/** Readers of other containers. */
const readers = new Map<string, (file: BlockReader) => Measures | Promise<Measures>>([
  ["video/vnd.avi", readAvi],
  ["video/x-flv", readFlv],
  ["video/mpeg", readMpeg],
  ["video/mp1s", readMpeg],
  ["video/mp2p", readMpeg],
  ["audio/x-caf", readCaf],
  ["audio/vnd.dolby.dd-raw", readAc3],
  ["audio/amr", readAmr],
  ["video/ogg", readTheora],
  ...["video/x-ms-asf", "audio/x-ms-asf", "audio/aiff", "audio/wavpack", "audio/ape", "audio/x-dsf"].map(
    (mime) => [mime, readByMusicMetadata] as const,
  ),
]);
/** Of containers that mediabunny reads, with codecs that it does not know. */
const otherReaders = new Map<string, (file: BlockReader) => Measures | Promise<Measures>>([
  ["audio/wav", readByMusicMetadata],
  ["audio/ogg", readByMusicMetadata],
  ["audio/mpeg", measureMp3],
  ["video/mp2t", readMpeg],
]);

/** MIME types of these containers if they hold only audio. */
const audioOnlyTypes = new Map([
  ["video/3gpp", "audio/3gpp"],
  ["video/3gpp2", "audio/3gpp2"],
  ["video/mp4", "audio/mp4"],
  ["video/webm", "audio/webm"],
  ["video/matroska", "audio/matroska"],
]);

/** Null for an unsupported container. */
export function openMedia(file: BlockReader, mime: string): Input | null {
  const inputFormats = formats.get(mime);
  if (!inputFormats) return null;
  let readsLeft = limits.mediaReads + file.size / limits.mediaReadBytes;
  const source = new CustomSource({
    // Blocks are cached already, and each read is counted: some damaged files are read at one place forever.
    maxCacheSize: 0,
    getSize: () => file.size,
    read(start, end) {
      if (--readsLeft < 0) throw new RangeError("read limit exceeded");
      return file.read(start, end - start);
    },
  });
  return new Input({ formats: inputFormats, source });
}

/**
 * Returns the metadata of a media file; nothing for an unsupported container. Throws if the file is damaged
 * or not of its sniffed type.
 */
export async function readMediaMetadata(file: BlockReader, mime: string): Promise<Partial<Inspection>> {
  const [read, readOther] = [readers.get(mime), otherReaders.get(mime)];
  if (read)
    return Promise.resolve(file)
      .then(read)
      .catch(() => ({}));
  const found = await readTracks(file, mime).catch((error) => {
    if (!readOther) throw error;
    return null;
  });
  if (found && (found.width || mime !== "video/mp2t")) return found;
  if (!readOther) throw new TypeError("nothing to see or to hear");
  // Of a transport stream, mediabunny may know the sound alone.
  const measures = await readOther(file);
  return found ? { ...found, ...(measures.width && measures) } : measures;
}

/** Null without a track. */
async function readTracks(file: BlockReader, mime: string): Promise<Partial<Inspection> | null> {
  using input = openMedia(file, mime);
  if (!input) return {};
  const tracks = await input.getTracks();
  if (tracks.length === 0) return null;
  const video = await input.getPrimaryVideoTrack();
  const type = video ? mime : (audioOnlyTypes.get(mime) ?? mime);
  return {
    mime: type,
    kind: kindOf(type),
    width: video && (int32OrNull(await video.getDisplayWidth()) || null),
    height: video && (int32OrNull(await video.getDisplayHeight()) || null),
    duration_ms: await duration(input, file, mime),
    ...(await statedBy(input)),
  };
}

/** Of one that begins as no MP3 does, such as in the midst of a frame. */
function measureMp3(file: BlockReader): Measures {
  const seconds = durationOfFrames(file);
  if (seconds === null) throw new TypeError("nothing to hear");
  return { width: null, height: null, duration_ms: int32OrNull(Math.round(seconds * 1000)) };
}

/** Numbers of ITU-T H.273 of the colors that are not shown as those of sRGB. */
const primariesByName: Record<string, number> = { bt2020: 9, smpte432: 12 };
const transfersByName: Record<string, number> = { linear: 8, pq: 16, hlg: 18 };
/** Browsers take untagged video of this height, and above, for HD television, but not of these codecs. */
const hdHeight = 720;
const codecsWithDefault = new Set(["vp9", "av1"]);

/** How the frames of a video become colors: the matrix, if ffmpeg has to be told, and a profile. */
export async function readVideoColors(
  file: BlockReader,
  mime: string,
): Promise<{ matrix: "bt709" | null; profile: Uint8Array | undefined }> {
  using input = openMedia(file, mime);
  const track = await input?.getPrimaryVideoTrack();
  if (!track) return { matrix: null, profile: undefined };
  const { primaries, transfer, matrix } = await track.getColorSpace();
  const numberOf = (names: Record<string, number>, name: string | null | undefined) => names[name ?? ""] ?? 1;
  const hasDefault = matrix || codecsWithDefault.has((await track.getCodec()) ?? "");
  return {
    matrix: !hasDefault && (await track.getCodedHeight()) >= hdHeight ? "bt709" : null,
    profile: codedProfile(numberOf(primariesByName, primaries), numberOf(transfersByName, transfer)),
  };
}

/** What its tags say of how it was made. Damaged tags say nothing, and do no harm. */
async function statedBy(input: Input): Promise<Pick<Inspection, "provenance">> {
  const made = await input.getMetadataTags().then(
    (tags) => fromTags(textTags(tags)),
    () => null,
  );
  return made ? { provenance: [{ source: "tags", ...made }] } : {};
}

/** Returns the duration in whole milliseconds, or null if it is unknown or not plausible. */
async function duration(input: Input, file: BlockReader, mime: string): Promise<number | null> {
  // Some tracks can be shown and not measured.
  const seconds = await measureDuration(input, file, mime).catch(() => null);
  return seconds !== null && seconds > 0 ? int32OrNull(Math.round(seconds * 1000)) : null;
}

/** In seconds. */
async function measureDuration(input: Input, file: BlockReader, mime: string): Promise<number | null> {
  const end =
    (mime === "audio/mpeg" ? durationOfFrames(file) : null) ??
    (await input.getDurationFromMetadata()) ??
    (await scanDuration(input));
  // The clock of a transport stream starts anywhere.
  return mime === "video/mp2t" && end !== null ? end - (await input.getFirstTimestamp()) : end;
}

/** Null without a first frame: mediabunny looks for the last one of such a FLAC file forever. */
async function scanDuration(input: Input): Promise<number | null> {
  const track = await input.getPrimaryAudioTrack();
  const first = track && (await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true }));
  return track && !first ? null : input.computeDuration();
}
