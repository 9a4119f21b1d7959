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
  const frames = paths.map((path) => ({ path, match: numbered.exec(path.slice(folder.length)) }));
  const [, stem, , extension] = frames[0]?.match ?? [];
  const isOne = frames.every(
    ({ path, match }) =>
      path.startsWith(folder) && match?.[1] === stem && match?.[3] === extension && !stem?.includes("/"),
  );
  if (!isOne || frames.length < framesMin) return null;
  const numberOf = ({ match }: (typeof frames)[number]) => Number(match?.[2]);
  const stated = Number(statedRate.exec(`${folder}${stem}`)?.[1] ?? defaultRate);
  return {
    index: `${folder}index.html`,
    names: frames.toSorted((a, b) => numberOf(a) - numberOf(b)).map(({ path }) => path.slice(folder.length)),
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
