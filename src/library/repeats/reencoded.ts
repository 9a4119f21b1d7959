/** Finds what a new file repeats of rejected ones: the whole file in another form, or places that were marked. */
import { canParse } from "../../files/probe/images/image.ts";
import type { FileMatch, PlaceState } from "../../files/probe/likeness/schema.ts";
import type { Target } from "../../files/probe/marks/schema.ts";
import type { Store } from "../../files/stores/store.ts";
import type { AnnotationRow } from "../annotations/rows.ts";
import type { AssetMetadata } from "../assets/schema.ts";
import { fileOf } from "../comparisons/compare.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { asksForForm } from "./asked-form.ts";
import { distance, textTypes } from "./fingerprint.ts";
import { openMusts } from "./repeats.ts";
import type { FingerprintRow, RejectedFile } from "./rows.ts";
import type { Repeats } from "./schema.ts";

/** Rejected files of a chain, a title, or a task that fingerprints are compared of. */
const rejectedMax = 100;
/** Of them, those that look most alike are compared as a whole. */
const comparedMax = 3;
/** No comparison begins later: an upload waits for it. */
const beginMs = 3_000;

export type NewFile = Pick<AssetMetadata, "project" | "replaces" | "title" | "issue" | "pr"> &
  Pick<
    AssetRow,
    "key" | "sha256" | "size" | "mime" | "kind" | "width" | "height" | "duration_ms" | "filename" | "uploader"
  > & {
    /** The title without any other. */
    fileTitle: string;
    fingerprint: FingerprintRow;
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
  const match = matcherOf(ctx, store, file);
  const musts = parent ? await openMusts(data, parent.root_id) : [];
  const places = await statesOf(data, match, musts);
  const rejected = await data.rejectedFiles(
    {
      project: file.project,
      root_id: parent?.root_id ?? null,
      title: file.title ?? parent?.title ?? file.fileTitle,
      issue: file.issue ?? parent?.issue ?? null,
      pr: file.pr ?? parent?.pr ?? null,
    },
    rejectedMax,
  );
  for (const { id } of nearest(rejected, file.fingerprint)) {
    const asset = await data.asset(null, id);
    const own = parent || !asset ? musts : await openMusts(data, asset.root_id);
    if (!asset || !(await match(asset, targetsIn(own, id)))?.isSame) continue;
    const words = [asset.review_note ?? "", ...own.map(({ body }) => body)].join("\n");
    if (asksForForm(words, asset, file)) return null;
    const found = parent ? places : await statesOf(data, match, own);
    return { id, note: asset.review_note, likeness: "reencoded", places: found };
  }
  if (!parent || !places.some(({ state }) => state === "unchanged")) return null;
  return { id: parent.id, note: parent.review_note, likeness: "unchanged_places", places };
}

type Match = (older: AssetRow, targets: readonly (Target | null)[]) => Promise<FileMatch | null>;

/** Compares the file with older ones, with each once, and as long as there is time. */
function matcherOf({ probe }: LibraryContext, store: Store, file: NewFile): Match {
  const until = performance.now() + beginMs;
  const after = fileOf(store, { ...file, title: file.fileTitle });
  const made = new Map<string, FileMatch | null>();
  const make = async (older: AssetRow, targets: readonly (Target | null)[]) => {
    const canMatch = older.key !== null && older.kind === file.kind && isComparable(older);
    if (!canMatch || older.sha256 === file.sha256 || performance.now() > until) return null;
    return probe.match(fileOf(store, older), after, targets).catch(() => null);
  };
  return async (older, targets) => {
    const found = made.has(older.id) ? (made.get(older.id) ?? null) : await make(older, targets);
    made.set(older.id, found);
    return found;
  };
}

const targetsIn = (marks: readonly AnnotationRow[], id: string): (Target | null)[] =>
  marks.filter(({ asset_id }) => asset_id === id).map(({ target }) => target);

/** Whether each place is as it was in the version that it was marked in. */
async function statesOf(
  data: LibraryReads,
  match: Match,
  marks: readonly AnnotationRow[],
): Promise<NearRepeat["places"]> {
  const states = new Map<string, PlaceState>();
  const byVersion = [...Map.groupBy(marks, ({ asset_id }) => asset_id)];
  for (const [id, ofVersion] of byVersion.slice(-comparedMax)) {
    const older = await data.asset(null, id);
    const found = older && (await match(older, targetsIn(ofVersion, id)));
    for (const [at, mark] of ofVersion.entries()) states.set(mark.id, found?.places[at] ?? "unknown");
  }
  return marks.map(({ id }) => ({ annotation: id, state: states.get(id) ?? "unknown" }));
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
  canParse(mime) || textTypes.test(mime) || kind === "pdf" || kind === "video";
