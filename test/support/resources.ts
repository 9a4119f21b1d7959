/** Resources of tests that are closed at their end, and temporary folders. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A resource that `await using` closes. */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}
export const closable = (close: () => Promise<void>): Closable => ({ close, [Symbol.asyncDispose]: close });

/** Creates a temporary folder, which is removed on close. */
export async function temporaryFolder(): Promise<{ path: string } & Closable> {
  const path = await mkdtemp(join(tmpdir(), "svc-test-"));
  return { path, ...closable(() => rm(path, { recursive: true, force: true })) };
}
