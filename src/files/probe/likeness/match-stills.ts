/** Compares documents and videos by what they show: pages, and frames at the same times. */
import type { Inspection } from "../kind.ts";
import type { Target } from "../marks/schema.ts";
import type { FileSource, Moment } from "../port.ts";
import type { FileMatch, PlaceState } from "./schema.ts";

/** Documents with more pages are not called the same: later pages are only compared where they are marked. */
const pagesMax = 8;
/** Frames of a video, at equal distances. */
const framesMax = 4;
/** Videos whose lengths differ by more are not the same, in milliseconds. */
const durationMax = 150;
/** No still is begun later: an upload waits for them. */
const beginMs = 6_000;

/** Null where there is no such page or frame, or no program that shows it. */
export type Capture = (source: FileSource, found: Inspection, moment: Moment) => Promise<FileSource | null>;
export type CompareStills = (
  before: FileSource,
  after: FileSource,
  targets: readonly (Target | null)[],
) => Promise<FileMatch | null>;

export interface ShownFile {
  source: FileSource;
  found: Inspection;
}

/** Null if nothing could be compared. */
export async function matchStills(
  before: ShownFile,
  after: ShownFile,
  targets: readonly (Target | null)[],
  { capture, compare }: { capture: Capture; compare: CompareStills },
): Promise<FileMatch | null> {
  const until = performance.now() + beginMs;
  const places = targets.map((): PlaceState => "unknown");
  const isVideo = before.found.kind === "video";
  let [isSame, compared] = [isVideo ? isEquallyLong(before.found, after.found) : true, 0];
  const regular = momentsOf(before.found);
  const marked = targets.filter((target) => target !== null).map(momentOf);
  const moments = new Map([...marked, ...regular].map((moment) => [keyOf(moment), moment]));
  for (const [key, moment] of moments) {
    const isEnd = moment.page !== null && moment.page > pagesMax;
    if (performance.now() > until) return compared === 0 ? null : { isSame: false, places };
    const here = targets.flatMap((target, at) => (target && keyOf(momentOf(target)) === key ? [at] : []));
    if (!isSame && here.length === 0) continue;
    const [one, other] = await Promise.all(
      [before, after].map(({ source, found }) => capture(source, found, moment)),
    );
    if (!one && !other && moment.page !== null && compared > 0) continue;
    const found =
      one && other && !(isEnd && here.length === 0)
        ? await compare(
            one,
            other,
            here.map((at) => targets[at] ?? null),
          )
        : null;
    if (found) compared++;
    isSame &&= found?.isSame === true;
    for (const [order, at] of here.entries()) places[at] = found?.places[order] ?? "unknown";
  }
  return compared === 0 ? null : { isSame, places };
}

const isEquallyLong = (one: Inspection, other: Inspection): boolean =>
  one.duration_ms !== null &&
  other.duration_ms !== null &&
  Math.abs(one.duration_ms - other.duration_ms) <= durationMax;

/** One page more than are compared: it must not exist. */
const momentsOf = ({ kind, duration_ms }: Inspection): Moment[] =>
  kind === "video"
    ? Array.from({ length: framesMax }, (_, at) => ({
        t_ms: Math.round(((duration_ms ?? 0) * (at + 0.5)) / framesMax),
        page: null,
      }))
    : Array.from({ length: pagesMax + 1 }, (_, at) => ({ t_ms: null, page: at + 1 }));

const momentOf = ({ t_ms, page }: Target): Moment =>
  t_ms === undefined ? { t_ms: null, page: page ?? 1 } : { t_ms, page: null };

const keyOf = ({ t_ms, page }: Moment): string => `${t_ms} ${page}`;
