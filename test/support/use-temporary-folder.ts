import { afterAll, beforeAll } from "bun:test";
import { temporaryFolder } from "./harness.ts";

/** Makes `tmpdir()` a folder of its own for the tests of a file: what they leave there is theirs. */
export function useTemporaryFolder(): void {
  const { TMPDIR } = process.env;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    process.env.TMPDIR = folder.path;
  });
  afterAll(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await folder.close();
  });
}
