/**
 * Uploads a file as an asset. A small file is one request; others are reserved, sent and finalized, a large
 * one in parts to a bucket or in resumable pieces to the server. The commands know nothing of how it travels.
 */
import { basename } from "node:path";
import type { ApiAccess } from "../../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../../client/client.ts";
import { CommandError } from "../../../command-errors.ts";
import type { Progress } from "../../../output/progress.ts";
import { sendParts } from "./parts-upload.ts";
import { checkRepeat, ifReadable } from "./repeated-file.ts";
import { sendResumable } from "./resumable-upload.ts";
import { type Reservation, savedReservation } from "./saved-reservation.ts";

/** Smaller files are sent again from the start: that costs little. */
export const resumableBytesMin = 16 * 2 ** 20;
/** Up to this, a form through the server costs less than two more round trips, with a bucket too. */
const formBytesMax = 2 ** 20;

/** Each waits up to 20 seconds on the server: about ten minutes in all. */
const finalizeAttempts = 30;
const finalizeDelayMs = 2000;

export type PushedAsset = Schemas["Asset"] & { skipped?: true };

/** Metadata of an upload. */
export type Metadata = Omit<Schemas["FinalizeRequest"], "key">;

/**
 * Returns a function that uploads a file. It skips one if the project already has an asset with the same
 * SHA-256, so that an interrupted push can be repeated; of equal files, the second waits for the first. A
 * token that may not read uploads each in any case.
 */
export function openUploader(access: ApiAccess, bar: Progress) {
  /** The last upload of each SHA-256. */
  const uploads = new Map<string, Promise<unknown>>();
  /** @throws {RepeatedFileError} for a file that was already rejected, without the reason to upload it again */
  return async (path: string, metadata: Metadata): Promise<PushedAsset> => {
    const sha256 = await hashOf(Bun.file(path));
    const before = uploads.get(sha256) ?? Promise.resolve();
    const wanted = { path, sha256, metadata, bar };
    const upload = before.catch(() => {}).then(() => uploadUnlessKnown(access, wanted));
    uploads.set(sha256, upload);
    return upload;
  };
}

interface Upload {
  path: string;
  sha256: string;
  metadata: Metadata;
  bar: Progress;
}

async function uploadUnlessKnown(access: ApiAccess, wanted: Upload): Promise<PushedAsset> {
  const { path, sha256, metadata } = wanted;
  const query = { project: metadata.project, sha256, limit: 1 };
  const found = await ifReadable(unwrap(access.api.GET("/assets", { params: { query } })));
  const existing = found?.assets[0];
  if (existing) {
    const isUploaded =
      existing.status !== "rejected" && (!metadata.replaces || existing.parent_id === metadata.replaces);
    const isCurrent = isUploaded && existing.status !== "superseded";
    const isRepeat = !isCurrent && (await checkRepeat(access, path, sha256, metadata));
    if (isUploaded && !isRepeat) return { ...existing, skipped: true };
  }
  return upload(access, wanted);
}

async function upload(access: ApiAccess, { path, sha256, metadata, bar }: Upload): Promise<Schemas["Asset"]> {
  const { api } = access;
  const file = Bun.file(path);
  if (file.size <= formBytesMax) {
    const asset = await sendForm(access, file, metadata);
    bar.advance(file.size);
    bar.show(basename(path));
    return asset;
  }
  const reserve = () =>
    unwrap(api.POST("/assets/presign", { body: { ...metadata, filename: basename(path) } }));
  if (access.isRemote && file.size >= resumableBytesMin) {
    const key = [access.siteUrl, metadata, basename(path), file.size, sha256];
    return uploadLarge(access, { file, key, reserve, bar, name: basename(path) });
  }
  const reservation = await reserve();
  const response = await access.fetch(reservation.upload_url, {
    method: reservation.method,
    headers: { ...reservation.headers, "content-length": String(file.size) },
    body: file.stream().pipeThrough(countBytes(bar, basename(path))),
  });
  if (!response.ok)
    throw new CommandError(
      `Upload of ${path} failed with status ${response.status}${await reasonOf(response)}.`,
    );
  await response.body?.cancel();
  return finalize(access, reservation);
}

/** The fields come before the file, so that the server checks them before it stores that. */
async function sendForm(
  { api }: ApiAccess,
  file: Bun.BunFile,
  metadata: Metadata,
): Promise<Schemas["Asset"]> {
  const form = new FormData();
  for (const [name, value] of Object.entries(metadata))
    form.append(name, Array.isArray(value) ? JSON.stringify(value) : String(value));
  form.append("file", file, basename(file.name as string));
  const body = form as unknown as Schemas["AssetUploadForm"];
  return unwrap(api.POST("/assets", { body, bodySerializer: () => form }));
}

/** Repeats the call while the server is still storing a large file. */
async function finalize({ api }: ApiAccess, { id, finalize_body }: Reservation): Promise<Schemas["Asset"]> {
  for (let attempt = 1; ; attempt++)
    try {
      return await unwrap(
        api.POST("/assets/{id}/finalize", { params: { path: { id } }, body: finalize_body }),
      );
    } catch (error) {
      const isBusy = error instanceof ApiError && error.status === 503;
      if (!isBusy || attempt === finalizeAttempts) throw error;
      await Bun.sleep(finalizeDelayMs);
    }
}

interface LargeFile {
  file: Bun.BunFile;
  key: unknown;
  reserve(): Promise<Reservation>;
  bar: Progress;
  name: string;
}

/** Uploads in a way that resumes, also in the next run of the command. */
async function uploadLarge(
  access: ApiAccess,
  { file, key, reserve, bar, name }: LargeFile,
): Promise<Schemas["Asset"]> {
  const saved = savedReservation(key);
  let shown = 0;
  const onProgress = (offset: number) => {
    bar.advance(Math.max(0, offset - shown));
    shown = Math.max(shown, offset);
    bar.show(name);
  };
  for (let reservation = saved.load(); ; reservation = null) {
    const isNew = reservation === null;
    reservation ??= await reserve();
    if (isNew) saved.save(reservation);
    const { id, resumable_url: url, parts_url } = reservation;
    const isSent = await (parts_url
      ? sendParts(access, { id, file, onProgress })
      : sendResumable(access, { url, file, onProgress }));
    if (isSent) {
      const asset = await finalize(access, reservation);
      saved.remove();
      return asset;
    }
    if (isNew) throw new CommandError(`The server deleted the upload of ${name}. Run the command again.`);
  }
}

async function hashOf(file: Bun.BunFile): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of file.stream()) hash.update(chunk);
  return hash.digest("hex");
}

const countBytes = (bar: Progress, name: string) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bar.advance(chunk.byteLength);
      bar.show(name);
      controller.enqueue(chunk);
    },
  });

async function reasonOf(response: Response): Promise<string> {
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
  return detail ? `: ${detail.replace(/\.$/, "")}` : "";
}
