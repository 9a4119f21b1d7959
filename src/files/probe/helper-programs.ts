/** Optional helper programs, and the command lines of stills: of a video, of a page of a PDF. */

import { type Size, scaledSize } from "./geometry.ts";
import { type FileType, type Inspection, programFor } from "./kind.ts";
import { limits } from "./limits.ts";
import type { Helper, Moment } from "./port.ts";
import { svgType } from "./text-types.ts";

interface Program {
  /** Names of the executable, in order of preference. */
  names: string[];
  purpose: string;
  versionFlag: string;
}

export const programs = {
  ffmpeg: { names: ["ffmpeg"], purpose: "video thumbnails and waveforms", versionFlag: "-version" },
  pdftoppm: { names: ["pdftoppm"], purpose: "PDF thumbnails", versionFlag: "-v" },
  chromium: {
    names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"],
    purpose: "thumbnails of HTML pages and SVG images",
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
  ["video/mp2p", "mpeg"],
  ["video/mp1s", "mpeg"],
  ["video/mpeg", "mpegvideo"],
  ["video/x-flv", "flv"],
  ["video/x-ms-asf", "asf"],
  ["video/ogg", "ogg"],
  ["image/avif", "mov"],
  ["image/heic", "mov"],
  ["image/heif", "mov"],
  ["image/bmp", "bmp_pipe"],
  ["image/tiff", "tiff_pipe"],
  ["image/jxl", "jpegxl_pipe"],
  ["image/jp2", "j2k_pipe"],
  ["image/j2c", "j2k_pipe"],
  ["image/x-icon", "ico"],
  // No demuxer finds where one ends, so it is read whole.
  ["image/vnd.adobe.photoshop", "image2 -pattern_type none -c:v psd"],
  ["audio/mp4", "mov"],
  ["audio/webm", "matroska"],
  ["audio/matroska", "matroska"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/ogg", "ogg"],
  ["audio/flac", "flac"],
]);
/** ffmpeg without its log. */
export const quietly = (program: string): string[] => [
  program,
  ..."-nostdin -hide_banner -loglevel quiet".split(" "),
];
/** Demuxers that can seek by an index. */
const seekable = new Set(["mov", "matroska", "avi"]);
/** Those whose times players show as they are; of others, the first one is shown as zero. */
const fromZero = new Set(["mov", "matroska"]);

export const codecs =
  "flv,vp6f,theora,wmv1,wmv2,wmv3,vc1,mpeg1video,h263,msmpeg4,msmpeg4v2,qtrle,cfhd,dnxhd,ffv1,bmp,psd," +
  "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg4,mpeg2video,mjpeg,prores,png,rawvideo," +
  "tiff,libjxl,jpeg2000,libopenjpeg";
/** A still is taken after a third of the video, since many begin black, but no later than this. */
const stillSecondsMax = 30;

/** Whether a helper program renders stills of this type. */
export const hasStill = ({ kind, mime }: FileType): boolean =>
  kind === "pdf" || mime === svgType || (programFor({ kind }) !== null && demuxers.has(mime));

/** What a still shows, and how large it is. */
export interface Still extends Moment {
  /** Of the longer side, in pixels. */
  side: number;
  /** How the samples of a video become colors; null: as it says. */
  matrix: "bt709" | null;
}

/**
 * Returns commands that print a PNG of the file at `path`, in the order to try them: seeking fails in a
 * container without an index. Without a time or page, the still is one that shows what the file is about.
 */
export function stillCommands(
  program: string,
  path: string,
  inspection: Inspection,
  still: Still,
): string[][] {
  return inspection.kind === "pdf"
    ? pageCommands(program, path, still)
    : frameCommands(program, path, inspection, still);
}

/** What viewers show of a page is its crop box; all of the page, if nothing is in that. */
function pageCommands(program: string, path: string, { side, page }: Still): string[][] {
  const number = String(page ?? 1);
  const words = ["-q", "-png", "-singlefile", "-f", number, "-l", number, "-scale-to", String(side), path];
  return [
    [program, "-cropbox", ...words],
    [program, ...words],
  ];
}

function frameCommands(
  program: string,
  path: string,
  { mime, kind, duration_ms, width, height }: Inspection,
  { side, t_ms, matrix }: Still,
): string[][] {
  const demuxer = demuxers.get(mime);
  if (!demuxer) return [];
  const isImage = kind === "image";
  const input =
    `-protocol_whitelist file -f ${demuxer} -codec_whitelist ${codecs} -max_pixels ` +
    `${limits.imagePixels} -threads 1 -noaccurate_seek`;
  const timing = isImage ? "-noautorotate" : `-seek_timestamp ${fromZero.has(demuxer) ? 1 : 0}`;
  const output =
    "-map 0:v:0 -frames:v 1 -an -sn -dn -filter_threads 1 -f image2pipe -c:v png -threads 1 pipe:1";
  const scale =
    scaleFilter(width && height && !isImage ? { width, height } : null, side) +
    (matrix ? `:in_color_matrix=${matrix}` : "") +
    // Some versions write the colors into the PNG, in part.
    (isImage ? "" : ",setparams=color_primaries=unknown:color_trc=unknown");
  /** The key frame before that time is the first that is decoded. */
  const command = (seconds: number, ...filters: string[]) => [
    ...quietly(program),
    ...`${input} ${timing}`.split(" "),
    ...(seconds > 0 ? ["-ss", seconds.toFixed(3)] : []),
    ...["-i", `file:${path}`, "-vf", [...filters, scale].join(), ...output.split(" ")],
  ];
  if (t_ms !== null) {
    const seconds = t_ms / 1000;
    const fromStart = command(0, shownAt(seconds));
    // The times of an AVI are whole frames, to which that of a seek would be rounded.
    return demuxer === "avi" ? [fromStart] : [command(seconds, shownAt(0)), fromStart];
  }
  const later = seekable.has(demuxer) ? Math.min(stillSecondsMax, (duration_ms ?? 0) / 3000) : 0;
  return (later > 0 ? [later, 0] : [0]).map((seconds) => command(seconds));
}

/** To the shape in which players show it: stored pixels need not be square. ffmpeg has turned it before. */
function scaleFilter(shown: Size | null, side: number): string {
  if (!shown) return `scale=w='min(${side},iw*sar)':h='min(${side},ih)':force_original_aspect_ratio=decrease`;
  const { width, height } = scaledSize(shown, { max: side });
  return `scale=${width}:${height}`;
}

/**
 * The frame that a player shows at a time: the last one that began, the first one before it, and the last one
 * at the end. Times are in milliseconds, and those of frames are rounded to them.
 * @param seconds after the first timestamp of the decoded part
 */
const shownAt = (seconds: number): string =>
  `tpad=stop_mode=clone:stop=-1,settb=AVTB,fps=1000:start_time=${seconds}`;

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
