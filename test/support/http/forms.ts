/** Multipart forms, whole and in pieces. */
import { callerPace } from "../../../src/core/lib/http/request-body.ts";

export const boundary = "a-boundary";
export const type = `multipart/form-data; boundary=${boundary}`;
export const field = (name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
export const opening = (name = "file", filename = "a.bin"): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: image/png\r\n\r\n`;
export const closing = `\r\n--${boundary}--\r\n`;
export const formWith = (content: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(field("project", "atlas") + opening()),
    Buffer.from(content as string),
    Buffer.from(closing),
  ]);

/** Runs with a different minimum upload rate than in production. */
export async function withProgress(
  pace: Partial<typeof callerPace>,
  work: () => Promise<void>,
): Promise<void> {
  const usual = { ...callerPace };
  Object.assign(callerPace, pace);
  await work().finally(() => Object.assign(callerPace, usual));
}
