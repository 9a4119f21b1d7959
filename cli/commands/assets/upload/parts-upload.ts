/** Sends a file to the bucket in parts, and continues after a lost connection. */
import type { ApiAccess } from "../../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../../client/client.ts";
import { CommandError } from "../../../command-errors.ts";
import { waitBeforeRetry } from "./resumable-upload.ts";

/** Parts in flight: enough to fill a line that a single connection does not. */
const parallelParts = 3;
/** The server does not have the upload anymore, or it is finalized. */
const goneStatuses = [404, 409, 410];

export interface PartsUpload {
  id: string;
  file: Bun.BunFile;
  /** Gets the bytes that have arrived. */
  onProgress(bytes: number): void;
}

type Offer = Schemas["UploadParts"];

/**
 * Returns whether the file is complete; false if the server does not have this upload anymore.
 * @throws {CommandError} if the server rejects it, or the bucket cannot be reached repeatedly
 */
export async function sendParts(access: ApiAccess, upload: PartsUpload): Promise<boolean> {
  let fewest = Infinity;
  for (let failures = 0; ; ) {
    try {
      const offer = await requestParts(access, upload);
      if (offer === null || offer.missing === 0) return offer !== null;
      if (offer.missing < fewest) failures = 0;
      fewest = Math.min(fewest, offer.missing);
      await sendAll(access, upload, offer);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw error;
      await waitBeforeRetry(failures++, error as Error);
    }
  }
}

/** Null if the upload is gone. */
async function requestParts({ api }: ApiAccess, { id, file }: PartsUpload): Promise<Offer | null> {
  const call = api.POST("/assets/{id}/parts", { params: { path: { id } }, body: { size: file.size } });
  return unwrap(call).catch((error) => {
    if (error instanceof ApiError && goneStatuses.includes(error.status)) return null;
    throw error;
  });
}

async function sendAll(access: ApiAccess, { file, onProgress }: PartsUpload, offer: Offer): Promise<void> {
  let sent = Math.max(0, file.size - offer.missing * offer.part_bytes);
  onProgress(sent);
  const waiting = offer.parts.values();
  const sendNext = async () => {
    for (const { url, offset, size } of waiting) {
      const body = file.slice(offset, offset + size);
      const response = await access.fetch(url, { method: "PUT", body });
      await response.body?.cancel();
      if (!response.ok) throw new CommandError(`The bucket answered with status ${response.status}`);
      onProgress((sent += size));
    }
  };
  const senders = Array.from({ length: parallelParts }, sendNext);
  // Wait for all, or a part of the next attempt would be sent twice at the same time.
  for (const outcome of await Promise.allSettled(senders))
    if (outcome.status === "rejected") throw outcome.reason;
}
