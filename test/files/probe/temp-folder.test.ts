/** Probes whose temporary folder is missing or full. */
import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { asInspection, helper, open } from "../../support/assets/test-probe.ts";
import { mount, mountable, unmount } from "../../support/stores/small-disk.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

async function withTmpdir<T>(path: string, work: () => Promise<T>): Promise<T> {
  const previous = tmpdir();
  process.env.TMPDIR = path;
  try {
    return await work();
  } finally {
    process.env.TMPDIR = previous;
  }
}

test("a file is refused for now while the temporary folder is missing, and inspected once it is there", async () => {
  const probe = open();
  const inspect = () => probe.inspect(bytesSource(made.png(60, 40)));
  await withTmpdir(join(tmpdir(), "missing"), async () =>
    expect(inspect()).rejects.toMatchObject({ status: 503 }),
  );
  expect((await inspect()).width).toBe(60);
});

test.skipIf(!mountable)("without space to copy a remote file there is no thumbnail", async () => {
  const disk = await mkdtemp(join(tmpdir(), "small-"));
  await mount("-t", "tmpfs", "-o", "size=16k", "svc-test", disk);
  const probe = open({ path: await helper("pdftoppm", "exit 1") });
  const pdf = bytesSource(made.bytes(made.pdf(), new Uint8Array(100_000)));
  const found = asInspection(["application/pdf", "pdf"]);
  expect(await withTmpdir(disk, () => probe.thumbnail(pdf, found)).finally(() => unmount(disk))).toBeNull();
  expect(probe.logged.map(({ message }) => message)).toEqual([
    "a file could not be copied to the temporary folder",
  ]);
});
