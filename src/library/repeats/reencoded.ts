/** Finds the rejected file that a new one is in another form: after another encoding, size, crop, or formatting. */
import { canParse } from "../../files/probe/images/image.ts";
import type { Store } from "../../files/stores/store.ts";
import type { AssetMetadata } from "../assets/schema.ts";
import { fileOf } from "../comparisons/compare.ts";
import type { LibraryContext } from "../context.ts";
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
    "key" | "sha256" | "size" | "mime" | "kind" | "width" | "height" | "filename" | "uploader"
  > & {
    /** The title without any other. */
    fileTitle: string;
    fingerprint: FingerprintRow;
  };

/** Null where it repeats nothing, or where that cannot be told: no file makes this fail. */
export async function findReencoded(
  ctx: LibraryContext,
  file: NewFile,
): Promise<Omit<Repeats, "reason"> | null> {
  return find(ctx, file).catch((error: Error) => {
    ctx.log("warn", "a file could not be compared with rejected ones", { error: error.message });
    return null;
  });
}

async function find(ctx: LibraryContext, file: NewFile): Promise<Omit<Repeats, "reason"> | null> {
  const { data, store } = ctx;
  if (!store) return null;
  const parent = file.replaces === undefined ? null : await data.asset(null, file.replaces);
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
  const until = performance.now() + beginMs;
  for (const { id } of nearest(rejected, file.fingerprint)) {
    const asset = await data.asset(null, id);
    if (!asset || performance.now() > until || !(await isReencoded(ctx, store, asset, file))) continue;
    const musts = await openMusts(data, parent?.root_id ?? asset.root_id);
    const words = [asset.review_note ?? "", ...musts.map(({ body }) => body)].join("\n");
    if (asksForForm(words, asset, file)) return null;
    const places = musts.map((mark) => ({
      annotation: mark.id,
      state: mark.asset_id === asset.id ? ("unchanged" as const) : ("unknown" as const),
    }));
    return { id, note: asset.review_note, likeness: "reencoded", places };
  }
  return null;
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

const isComparable = ({ mime }: Pick<AssetRow, "mime">): boolean => canParse(mime) || textTypes.test(mime);

async function isReencoded(
  { probe }: LibraryContext,
  store: Store,
  asset: AssetRow,
  file: NewFile,
): Promise<boolean> {
  if (asset.key === null || asset.kind !== file.kind || asset.sha256 === file.sha256) return false;
  if (!isComparable(asset) || !isComparable(file)) return false;
  const title = file.fileTitle;
  const found = await probe.match(fileOf(store, asset), fileOf(store, { ...file, title })).catch(() => null);
  return found?.isSame === true;
}
