/**
 * Sends a large file by tus 1.0: continues after a lost connection, and after a reload of the page if the
 * same file is picked again.
 */
export interface Reservation {
  id: string;
  upload_url: string;
  resumable_url: string;
  method: string;
  headers: Record<string, string>;
  finalize_body: object;
}

export interface Transfer {
  url: string;
  file: File;
  onProgress(offset: number): void;
  /** The connection was lost; the next attempt follows by itself. */
  onRetry(): void;
  signal: AbortSignal;
}

/** Waits between attempts without progress, in milliseconds: about two minutes in all. */
const retryDelaysMs = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000];
const gone = [404, 410];

/** @returns false if the server does not have this upload anymore */
export async function sendResumable({ url, file, onProgress, onRetry, signal }: Transfer): Promise<boolean> {
  let failures = 0;
  let previous = -1;
  for (;;) {
    try {
      const created = await tus("POST", url, { "upload-length": String(file.size) }, null, signal);
      if (gone.includes(created.status)) return false;
      const offset = offsetOf(created);
      if (offset > previous) failures = 0;
      previous = offset;
      onProgress(offset);
      if (offset === file.size) return true;
      const headers = { "content-type": "application/offset+octet-stream", "upload-offset": String(offset) };
      const report = (loaded: number) => onProgress(offset + loaded);
      const sent = await tus("PATCH", url, headers, file.slice(offset), signal, report);
      if (offsetOf(sent) === file.size) return true;
    } catch (error) {
      const delayMs = retryDelaysMs[failures++];
      if (signal.aborted || error instanceof RejectedError || delayMs === undefined) throw error;
      onRetry();
      await waitOrOnline(delayMs, signal);
    }
  }
}

/** Deletes what the server has received. */
export const cancelResumable = (url: string): Promise<unknown> =>
  tus("DELETE", url, {}, null, new AbortController().signal).catch(() => {});

/** Sending the file again does not help. */
class RejectedError extends Error {}

function offsetOf(request: XMLHttpRequest): number {
  const { status } = request;
  if (status < 300) return Number(request.getResponseHeader("upload-offset"));
  // 409: the previous connection was still open.
  const Failure = status < 500 && status !== 409 ? RejectedError : Error;
  throw new Failure(detailOf(request) ?? `Upload rejected (HTTP ${status})`);
}

function detailOf({ responseText }: XMLHttpRequest): string | undefined {
  try {
    return JSON.parse(responseText).detail;
  } catch {
    return undefined;
  }
}

/** XMLHttpRequest, since `fetch` reports no progress of an upload. */
const tus = (
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Blob | null,
  signal: AbortSignal,
  onProgress = (_loaded: number) => {},
): Promise<XMLHttpRequest> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries({ "tus-resumable": "1.0.0", ...headers }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(request);
    request.onerror = () => reject(new Error("Connection lost"));
    request.onabort = () => reject(new Error("Canceled"));
    if (signal.aborted) return reject(new Error("Canceled"));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });

const waitOrOnline = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", () => resolve(), { once: true });
    signal.addEventListener("abort", () => resolve());
  });
