/** Regions of HTML pages that name no text are compared as a browser shows them, at the width they were marked at. */
import type { Target } from "../marks/schema.ts";
import type { FileSource } from "../port.ts";
import type { CompareStills } from "./match-stills.ts";
import type { FileMatch, PlaceState } from "./schema.ts";

export interface Viewport {
  w: number;
  h: number;
}

interface Tools {
  /** Null without a browser. */
  capture(source: FileSource, viewport: Viewport): Promise<FileSource | null>;
  compare: CompareStills;
}

/** Of a mark that does not say how large the page was shown. */
const usual: Viewport = { w: 1280, h: 960 };
/** Each is two pages that a browser shows, and an upload waits for them. */
const viewportsMax = 2;

const isRegion = (target: Target | null): target is Target =>
  target?.shape !== undefined && !target.quote && !target.lines;

/** The match with the states of regions, as far as they are told by what is shown. */
export async function matchRegions(
  before: FileSource,
  after: FileSource,
  { found, targets }: { found: FileMatch; targets: readonly (Target | null)[] },
  { capture, compare }: Tools,
): Promise<FileMatch> {
  const places = [...found.places];
  const unknown = targets.flatMap((target, at) =>
    places[at] === "unknown" && isRegion(target) ? [{ target, at }] : [],
  );
  const byViewport = Map.groupBy(unknown, ({ target: { viewport: { w, h } = usual } }) => `${w} ${h}`);
  for (const group of [...byViewport.values()].slice(0, viewportsMax)) {
    const viewport = group[0]?.target.viewport ?? usual;
    const [one, other] = await Promise.all([capture(before, viewport), capture(after, viewport)]);
    if (!one || !other) break;
    const shown = await compare(
      one,
      other,
      group.map(({ target }) => target),
    );
    for (const [order, { at }] of group.entries())
      places[at] = shown?.places[order] ?? ("unknown" satisfies PlaceState);
  }
  return { ...found, places };
}
