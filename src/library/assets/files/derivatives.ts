/**
 * What is derived from an uploaded file: its type and dimensions, a thumbnail, the unpacked files of a
 * bundle.
 */

import { mimeOfName } from "../../../core/lib/mime-of-name.ts";
import { unavailable } from "../../../core/problem.ts";
import { isBundle } from "../../../files/probe/kind.ts";
import { limits } from "../../../files/probe/limits.ts";
import type { BundleFile, FileSource, Looks, ThumbnailColumns } from "../../../files/probe/port.ts";
import { withCharset } from "../../../files/probe/text-encoding.ts";
import { uploadFormatOf } from "../../../files/probe/thumbnails/thumbnail-format.ts";
import type { Provenance } from "../../../files/provenance/schema.ts";
import { deletePrefix } from "../../../files/stores/objects.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { AssetRow, ManifestFile } from "../../rows.ts";
import { bundleKey } from "../bundles/manifest.ts";
import { storedFile } from "./stored-file.ts";
import { putThumbnail } from "./thumbnails.ts";

interface Derivatives {
  columns: Pick<
    AssetRow,
    "mime" | "kind" | "width" | "height" | "duration_ms" | "bundle_index" | keyof ThumbnailColumns
  >;
  /** What the file says of how it was made. */
  provenance: Provenance[];
  looks: Looks;
  /** The manifest of a bundle; empty for other files. */
  files: ManifestFile[];
}

interface StoredFile extends Pick<FileSource, "size" | "head" | "owner"> {
  key: string;
}

/**
 * Inspects a stored file, stores its thumbnail and unpacks its bundle. No file content makes it fail, except
 * that an invalid bundle is a Problem 400. A zip file that cannot be checked in time is a Problem 503.
 */
export async function makeDerivatives(
  { probe }: LibraryContext,
  store: Store,
  id: string,
  file: StoredFile,
): Promise<Derivatives> {
  const { key } = file;
  const source = storedFile(store, file);
  const { inspection, thumbnail: made, picture, signature } = await probe.inspectWithThumbnail(source);
  const { provenance = [], ...found } = inspection;
  const files: ManifestFile[] = [];
  const bundle_index = await unpack();
  const thumbnail = bundle_index === null ? made : await pageThumbnail(bundle_index);
  const thumb_format = (thumbnail && uploadFormatOf(thumbnail)) ?? null;
  if (thumbnail && thumb_format) await putThumbnail(store, id, thumbnail, thumb_format);
  const columns = { ...found, has_thumb: thumb_format !== null, thumb_format, bundle_index };
  return { columns, provenance, looks: { picture, signature }, files };

  /** A page that waits too long for the browser has none. */
  function pageThumbnail(index: string): Promise<Uint8Array | null> {
    const keyOf = (path: string) =>
      isBundle(inspection) ? bundleKey(id, path) : path === index ? key : null;
    const read = (path: string) => readFile(keyOf(path), path);
    return probe.pageThumbnail({ index, read, owner: file.owner }).catch(() => null);
  }

  async function readFile(fileKey: string | null, path: string) {
    const stored = fileKey === null ? null : await store.get(fileKey);
    if (!stored) return null;
    if (stored.size > limits.pageBytes) {
      await stored.body.cancel();
      return null;
    }
    const bytes = await new Response(stored.body).bytes();
    const type = isBundle(inspection) ? mimeOfName(path) : found.mime;
    return { bytes, mime: await withCharset(type, bytes.subarray(0, limits.headBytes), bytes.length) };
  }

  async function unpack(): Promise<string | null> {
    if (inspection.kind !== "html") return null;
    if (!isBundle(inspection)) return key.split("/").at(-1) as string;
    const write = async ({ path, size, mime }: BundleFile, bytes: AsyncIterable<Uint8Array>) => {
      const stored = await store.put(bundleKey(id, path), bytes, { type: mime, maxBytes: size, size });
      if (stored !== "exists") return void files.push({ path, ...stored });
      await store.delete(bundleKey(id, path));
      throw unavailable("A file of this bundle was already stored, and differs. Send the request again.");
    };
    // A concurrent finalize of the same upload may need these files. Orphan cleanup deletes them otherwise.
    const discard = async () => {};
    const { index } = await probe.unbundle(source, { write, discard });
    return index;
  }
}

/**
 * Passes a stream through unchanged and captures what inspections read first: a small file as a whole, of a
 * larger one the first `limits.headBytes` bytes.
 */
export function captureHead(bytes: AsyncIterable<Uint8Array>): {
  chunks: AsyncIterable<Uint8Array>;
  head(): Uint8Array;
} {
  const { headBytes, wholeBytes } = limits;
  const first: Uint8Array[] = [];
  let size = 0;
  async function* passThrough() {
    for await (const chunk of bytes) {
      if (size < wholeBytes) first.push(chunk.subarray(0, wholeBytes - size));
      size += chunk.length;
      yield chunk;
    }
  }
  return {
    chunks: passThrough(),
    head() {
      const captured = first.length === 1 ? (first[0] as Uint8Array) : Buffer.concat(first);
      return size > wholeBytes ? captured.subarray(0, headBytes) : captured;
    },
  };
}

/** Deletes the file and all derivatives of an asset from the private store. */
export async function deleteAssetFiles(store: Store, project: string, id: string): Promise<void> {
  await deletePrefix(store, `${project}/${id}/`);
  await deletePrefix(store, `_variants/${id}/`);
}
