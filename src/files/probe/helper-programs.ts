/** Optional helper programs, and the command lines of stills: of a video, of a page of a PDF. */

import type { Inspection } from "./kind.ts";
import { limits } from "./limits.ts";
import type { Helper, Moment } from "./port.ts";

interface Program {
  /** Names of the executable, in order of preference. */
  names: string[];
  purpose: string;
  versionFlag: string;
}

export const programs = {
  ffmpeg: { names: ["ffmpeg"], purpose: "video thumbnails", versionFlag: "-version" },
  pdftoppm: { names: ["pdftoppm"], purpose: "PDF thumbnails", versionFlag: "-v" },
  chromium: {
    names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"],
    purpose: "thumbnails of HTML pages",
    versionFlag: "--version",
  },
  c2patool: { names: ["c2patool"], purpose: "checks of C2PA signatures", versionFlag: "--version" },
} as const satisfies Record<string, Program>;

/**
 * ffmpeg's demuxer of each container. It is set explicitly, so that no file can pose as a playlist of other
 * files.
 */
export const demuxers = new Map([
  ["video/mp4", "mov"],
  ["video/x-m4v", "mov"],
  ["video/3gpp", "mov"],
  ["video/3gpp2", "mov"],
  ["video/quicktime", "mov"],
  ["video/webm", "matroska"],
  ["video/matroska", "matroska"],
  ["video/vnd.avi", "avi"],
  ["video/mp2t", "mpegts"],
  ["audio/mp4", "mov"],
  ["audio/webm", "matroska"],
  ["audio/matroska", "matroska"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/ogg", "ogg"],
  ["audio/flac", "flac"],
]);
/** Demuxers that can seek by an index. */
const seekable = new Set(["mov", "matroska", "avi"]);

const codecs =
  "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg4,mpeg2video,mjpeg,prores,png,rawvideo";
/** A still is taken after a third of the video, since many begin black, but no later than this. */
const stillSecondsMax = 30;

export type StillProgram = "ffmpeg" | "pdftoppm";

/** Returns the program that renders a still of this kind of file. */
export const programFor = ({ kind }: Inspection): StillProgram | null =>
  kind === "video" ? "ffmpeg" : kind === "pdf" ? "pdftoppm" : null;

/** What a still shows, and how large it is. */
export interface Still extends Moment {
  /** Of the longer side, in pixels. */
  side: number;
}

/** Before a time, for a frame that begins at it and whose time was rounded. */
const roundingSeconds = 0.002;
/** Before a time that no frame follows, at the end of a video. */
const lastFrameSeconds = 0.5;

/**
 * Returns commands that print a PNG of the file at `path`, in the order to try them: seeking fails in a
 * container without an index. Without a time or page, the still is one that shows what the file is about.
 */
export function stillCommands(
  program: string,
  path: string,
  { mime, kind, duration_ms }: Inspection,
  { side, t_ms, page }: Still,
): string[][] {
  const shown = page ?? 1;
  if (kind === "pdf")
    return [[program, ...`-q -png -singlefile -f ${shown} -l ${shown} -scale-to ${side}`.split(" "), path]];
  const demuxer = demuxers.get(mime);
  if (!demuxer) return [];
  const later = seekable.has(demuxer) ? Math.min(stillSecondsMax, (duration_ms ?? 0) / 3000) : 0;
  const input =
    `-protocol_whitelist file -f ${demuxer} -codec_whitelist ${codecs} -max_pixels ` +
    `${limits.imagePixels} -threads 1`;
  const scale = `scale=w='min(${side},iw)':h='min(${side},ih)':force_original_aspect_ratio=decrease`;
  const output =
    `-map 0:v:0 -frames:v 1 -an -sn -dn -filter_threads 1 -vf ${scale} -f image2pipe ` +
    "-c:v png -threads 1 pipe:1";
  const command = (seconds: number, ...options: string[]) => [
    ...[program, ..."-nostdin -hide_banner -loglevel quiet".split(" "), ...input.split(" "), ...options],
    ...["-ss", Math.max(0, seconds).toFixed(3), "-i", `file:${path}`, ...output.split(" ")],
  ];
  if (t_ms !== null)
    return [roundingSeconds, lastFrameSeconds].map((before) => command(t_ms / 1000 - before));
  // The key frame before that moment: nothing is decoded on the way to it.
  return (later > 0 ? [later, 0] : [0]).map((seconds) => command(seconds, "-noaccurate_seek"));
}

/**
 * Returns the path of a helper program, or null if it is not installed.
 * @param path folders to search, in the format of PATH; by default PATH itself
 */
export function findProgram(name: keyof typeof programs, path?: string): string | null {
  for (const candidate of programs[name].names) {
    const found = path === undefined ? Bun.which(candidate) : Bun.which(candidate, { PATH: path });
    if (found) return found;
  }
  return null;
}

/** The helper programs on the PATH, such as ffmpeg, with their paths. */
export async function findHelpers(path?: string): Promise<Helper[]> {
  const names = Object.keys(programs) as (keyof typeof programs)[];
  return Promise.all(
    names.map(async (name) => {
      const program = findProgram(name, path);
      const { purpose, versionFlag } = programs[name];
      return { name, purpose, version: program && (await versionOf([program, versionFlag])) };
    }),
  );
}

async function versionOf(command: string[]): Promise<string | null> {
  try {
    const child = Bun.spawn(command, {
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
      timeout: limits.versionMs,
      killSignal: "SIGKILL",
    });
    const outputs = await Promise.all(
      [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
    );
    return /\d+(\.\d+)+\S*/.exec(outputs.join("\n"))?.[0] ?? null;
  } catch {
    return null;
  }
}
