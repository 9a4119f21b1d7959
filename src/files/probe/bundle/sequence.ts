/** An image sequence: a zip of numbered images without an index page, which gets one that plays them. */
import template from "./sequence.html" with { type: "text" };

export interface Sequence {
  /** Path of the page that is added. */
  index: string;
  /** Names of the images beside it, in their order. */
  names: string[];
  /** Frames per second. */
  rate: number;
}

const framesMin = 2;
const numbered = /^(.*?)(\d+)\.(png|jpe?g|webp)$/i;
/** In the name of the folder or of the images, such as `walk-12fps`. */
const statedRate = /(?:^|[^\d.])(\d{1,3}(?:\.\d{1,3})?)fps/i;
const [defaultRate, rateMax] = [24, 240];

/** Null unless all files are images in one folder, with the same name but for their numbers. */
export function sequenceOf(paths: readonly string[]): Sequence | null {
  const [first = ""] = paths;
  const folder = first.slice(0, first.lastIndexOf("/") + 1);
  const frames = paths.flatMap((path) => {
    const match = path.startsWith(folder) ? numbered.exec(path.slice(folder.length)) : null;
    return match ? [{ path, stem: match[1] as string, number: Number(match[2]), extension: match[3] }] : [];
  });
  const [{ stem, extension } = { stem: "", extension: "" }] = frames;
  const isOne = frames.every((frame) => frame.stem === stem && frame.extension === extension);
  if (!isOne || stem.includes("/") || frames.length < paths.length || frames.length < framesMin) return null;
  const stated = Number(statedRate.exec(folder + stem)?.[1] ?? defaultRate);
  return {
    index: `${folder}index.html`,
    names: frames.toSorted((a, b) => a.number - b.number).map(({ path }) => path.slice(folder.length)),
    rate: stated > 0 && stated <= rateMax ? stated : defaultRate,
  };
}

/** The page, as HTML in UTF-8. */
export function sequencePage({ names, rate }: Sequence): Uint8Array {
  const urls = names.map(encodeURIComponent);
  const json = JSON.stringify({ names: urls, rate });
  // Replaced by functions: a name may hold what replacement texts treat as special.
  const html = (template as unknown as string)
    .replace("FIRST_FRAME", () => urls[0]?.replaceAll("&", "&amp;").replaceAll('"', "&quot;") ?? "")
    .replace('"FRAMES"', () => json.replaceAll("<", "\\u003c"));
  return new TextEncoder().encode(html);
}
