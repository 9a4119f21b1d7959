/** Finds what a new file repeats of rejected ones: the whole file in another form, or places that were marked. */
import { taskNumberOf } from "../../core/task-key.ts";
import { hasStill } from "../../files/probe/helper-programs.ts";
import { canParse } from "../../files/probe/images/image.ts";
import type { FileMatch, PlaceState } from "../../files/probe/likeness/schema.ts";
import type { Store } from "../../files/stores/store.ts";
import type { AnnotationRow } from "../annotations/rows.ts";
import type { AssetMetadata } from "../assets/schema.ts";
import { fileOf } from "../comparisons/compare.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { distance, readWords, withWords } from "./fingerprint.ts";
import { openMusts, toRepeat } from "./repeats.ts";
import type { FingerprintRow, RejectedFile } from "./rows.ts";
import { type Repeats, textTypes } from "./schema.ts";

/** Rejected files of a chain, a title, or a task that fingerprints are compared of. */
const rejectedMax = 100;
/** Of them, those that look most alike are compared as a whole. */
const comparedMax = 3;
export type NewFile = Pick<AssetMetadata, "project" | "replaces" | "title" | "issue" | "task" | "pr"> &
  Pick<
    AssetRow,
    "key" | "sha256" | "size" | "mime" | "kind" | "width" | "height" | "duration_ms" | "filename" | "uploader"
  > & {
    /** The title without any other. */
    fileTitle: string;
    picture: FingerprintRow["picture"];
  };

/** Null where it repeats nothing, or where that cannot be told: no file makes this fail. */
export async function findReencoded(ctx: LibraryContext, file: NewFile): Promise<NearRepeat | null> {
  return find(ctx, file).catch((error: Error) => {
    ctx.log("warn", "a file could not be compared with rejected ones", { error: error.message });
    return null;
  });
}

export type NearRepeat = Omit<Repeats, "reason">;

async function find(ctx: LibraryContext, file: NewFile): Promise<NearRepeat | null> {
  const { data, store } = ctx;
  if (!store || !isComparable(file)) return null;
  const parent = file.replaces === undefined ? null : await data.asset(null, file.replaces);
  const musts = parent ? await openMusts(data, parent.root_id) : [];
  const rejected = await data.rejectedFiles(
    {
      project: file.project,
      root_id: parent?.root_id ?? null,
      title: file.title ?? parent?.title ?? file.fileTitle,
      issue: taskNumberOf(file) ?? parent?.issue ?? null,
      pr: file.pr ?? parent?.pr ?? null,
    },
    rejectedMax,
  );
  const marked = [...new Set(musts.map(({ asset_id }) => asset_id))].slice(-comparedMax);
  const words = rejected.length === 0 ? null : await readWords(store, file);
  const known = words === null ? rejected : await withWords(data, store, rejected);
  const candidates = nearest(known, { picture: file.picture, words }).map(({ id }) => id);
  const older = await olderFiles(data, [...new Set([...marked, ...candidates])], musts);
  const isCandidate = ({ id }: AssetRow) => candidates.includes(id);
  let same: OlderAsset | undefined;
  const found = await matchAll(ctx, store, file, older, (one, match) => {
    if (match?.isSame && isCandidate(one.asset)) same ??= one;
    return same !== undefined && !older.slice(older.indexOf(one) + 1).some((next) => next.marks.length > 0);
  });
  if (!same) {
    const places = placesOf(musts, found);
    if (!parent || !places.some(({ state }) => state === "unchanged")) return null;
    return toRepeat(parent, "unchanged_places", places, musts);
  }
  const own = parent ? musts : await openMusts(data, same.asset.root_id);
  const feedback = [same.asset.review_note ?? "", ...own.map(({ body }) => body)].join("\n");
  if (asksForForm(feedback, same.asset, file)) return null;
  const places = parent ? placesOf(own, found) : await placesInChain(ctx, store, file, own);
  return toRepeat(same.asset, "reencoded", places, own);
}

interface OlderAsset {
  asset: AssetRow;
  marks: readonly AnnotationRow[];
}

/** Of those with a file, with the marks in each. */
async function olderFiles(
  data: LibraryReads,
  ids: readonly string[],
  marks: readonly AnnotationRow[],
): Promise<OlderAsset[]> {
  const assets = await Promise.all(ids.map((id) => data.asset(null, id)));
  return assets.flatMap((asset) =>
    asset ? [{ asset, marks: marks.filter(({ asset_id }) => asset_id === asset.id) }] : [],
  );
}

type Found = ReadonlyMap<string, PlaceState>;

/** Compares the file with older ones, as long as `isLast` does not say that it is enough. */
async function matchAll(
  { probe }: LibraryContext,
  store: Store,
  file: NewFile,
  older: readonly OlderAsset[],
  isLast: (one: OlderAsset, found: FileMatch | null) => boolean = () => false,
): Promise<Found> {
  const after = fileOf(store, { ...file, title: file.fileTitle });
  const compared = older.filter(
    ({ asset }) =>
      asset.key !== null && asset.kind === file.kind && isComparable(asset) && asset.sha256 !== file.sha256,
  );
  if (compared.length === 0) return new Map();
  const files = compared.map(({ asset, marks }) => ({
    ...fileOf(store, asset),
    targets: marks.map(({ target }) => target),
  }));
  const found = await probe.match(after, files, (match, at) => isLast(compared[at] as OlderAsset, match));
  return new Map(
    compared.flatMap(({ marks }, at) =>
      marks.map(({ id }, order) => [id, found[at]?.places[order] ?? "unknown"] as const),
    ),
  );
}

const placesOf = (marks: readonly AnnotationRow[], found: Found): NearRepeat["places"] =>
  marks.map(({ id }) => ({ annotation: id, state: found.get(id) ?? "unknown" }));

/** Of marks in a chain that the file does not say it belongs to. */
async function placesInChain(
  ctx: LibraryContext,
  store: Store,
  file: NewFile,
  marks: readonly AnnotationRow[],
): Promise<NearRepeat["places"]> {
  const ids = [...new Set(marks.map(({ asset_id }) => asset_id))].slice(-comparedMax);
  return placesOf(marks, await matchAll(ctx, store, file, await olderFiles(ctx.data, ids, marks)));
}

/** Those that look most alike; of equal ones, those that were rejected last. */
function nearest(rejected: readonly RejectedFile[], fingerprint: FingerprintRow): RejectedFile[] {
  return rejected
    .flatMap((one) => {
      const far = distance(one, fingerprint);
      return far === null ? [] : [{ one, far }];
    })
    .toSorted((a, b) => a.far - b.far)
    .slice(0, comparedMax)
    .map(({ one }) => one);
}

const isComparable = ({ kind, mime }: Pick<AssetRow, "kind" | "mime">): boolean =>
  canParse(mime) || textTypes.test(mime) || hasStill({ kind, mime }) || kind === "audio";

type Form = Pick<AssetRow, "mime" | "kind" | "size" | "width" | "height">;

/** What changes with the form of a file, and the words that ask for it. */
const forms: readonly { words: RegExp; isChanged(before: Form, after: Form): boolean }[] = [
  {
    words: /\b(webp|avif|jpe?g|png|gif|svg|heic|tiff?|mp4|webm|format|codec|encod\w*|lossless)\b/i,
    isChanged: (before, after) => before.mime !== after.mime,
  },
  {
    words:
      /\b(\d+ ?[km]i?b|kilobytes?|megabytes?|bytes|compress\w*|too (large|big|heavy)|smaller|file ?size|artifacts?|quality|blurry)\b/i,
    isChanged: (before, after) => before.size !== after.size,
  },
  {
    words:
      /\b(\d+ ?px|pixels?|\d+ ?[x×] ?\d+|resolution|dpi|retina|resize\w*|scale[ds]?|scaling|dimensions?|width|wide|height|larger|bigger|smaller|crop\w*|trim\w*|border|margins?|edges?|aspect|ratio|whitespace|padding)\b/i,
    isChanged: (before, after) => before.width !== after.width || before.height !== after.height,
  },
  { words: /\b(metadata|exif|xmp|gps|location|c2pa|profile|watermark)\b/i, isChanged: () => true },
  {
    words:
      /\b(format\w*|indent\w*|whitespace|line (ends?|endings?|breaks?|length)|wrap\w*|crlf|utf-?8|bom|encoding|prettier|lint|minif\w*|comments?|quotes?|semicolons?|sort\w*|order)\b/i,
    isChanged: (before) => before.kind !== "image",
  },
];

/** Whether a reviewer asked for what a new form of a file changes: then it is no repeat. */
const asksForForm = (words: string, before: Form, after: Form): boolean =>
  forms.some((form) => form.words.test(words) && form.isChanged(before, after));
