/** Sends a file by tus 1.0, and continues after a lost connection. */
import type { ApiAccess } from "../../../api.ts";
import { CommandError } from "../../../command-errors.ts";

const protocol = { "tus-resumable": "1.0.0" };

/** Waits between attempts without progress, in milliseconds; any progress starts over. */
const retryDelaysMs = [500, 1000, 2000, 4000, 8000];

export interface ResumableUpload {
  url: string;
  file: Bun.BunFile;
  /** Gets the offset up to which the file was sent. */
  onProgress(offset: number): void;
}

/**
 * Returns whether the file is complete; false if the server does not have this upload anymore.
 * @throws {CommandError} if the server rejects it, or cannot be reached repeatedly
 */
export async function sendResumable(access: ApiAccess, upload: ResumableUpload): Promise<boolean> {
  let previous = -1;
  for (let failures = 0; ; ) {
    let offset: number | null;
    try {
      offset = await start(access, upload);
      if (offset === null || offset === upload.file.size) return offset !== null;
      await sendRest(access, upload, offset);
      return true;
    } catch (error) {
      if (error instanceof Rejected) throw error;
      offset = await start(access, upload).catch(() => previous);
      failures = (offset ?? previous) > previous ? 0 : failures + 1;
      previous = Math.max(previous, offset ?? previous);
      await waitBeforeRetry(failures, error as Error);
    }
  }
}

/**
 * @param failures attempts without progress before this one
 * @throws {CommandError} after the last attempt
 */
export async function waitBeforeRetry(failures: number, { message }: Error): Promise<void> {
  const delayMs = retryDelaysMs[failures];
  if (delayMs === undefined)
    throw new CommandError(`${message.replace(/\.$/, "")}. Run the command again to resume the upload.`);
  await Bun.sleep(delayMs);
}

/** The server will not accept this file, so a retry does not help. */
class Rejected extends CommandError {}

/** Begins the upload, or finds out where it continues; null if it is gone. */
async function start(access: ApiAccess, { url, file }: ResumableUpload): Promise<number | null> {
  const response = await access.fetch(url, {
    method: "POST",
    headers: { ...protocol, "upload-length": String(file.size) },
  });
  if ([404, 409, 410].includes(response.status)) return null;
  await requireSuccess(response);
  return Number(response.headers.get("upload-offset"));
}

async function sendRest(
  access: ApiAccess,
  { url, file, onProgress }: ResumableUpload,
  offset: number,
): Promise<void> {
  let sent = offset;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onProgress((sent += chunk.byteLength));
      controller.enqueue(chunk);
    },
  });
  onProgress(offset);
  const response = await access.fetch(url, {
    method: "PATCH",
    headers: {
      ...protocol,
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(offset),
      "content-length": String(file.size - offset),
    },
    body: file.slice(offset).stream().pipeThrough(counter),
  });
  await requireSuccess(response);
}

async function requireSuccess(response: Response): Promise<void> {
  const { status } = response;
  if (response.ok) return;
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
  const message = `The upload failed with status ${status}${detail ? `: ${detail.replace(/\.$/, "")}` : ""}`;
  // 409: another connection of this upload was still open.
  if (status < 500 && status !== 409) throw new Rejected(`${message}.`);
  throw new CommandError(message);
}
