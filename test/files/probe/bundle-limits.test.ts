/** Bundles that unpack to more than they may, or lie about it. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { limits } from "../../../src/files/probe/limits.ts";
import type { BundleFile } from "../../../src/files/probe/port.ts";
import { openProbe } from "../../../src/files/probe/probe.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { bytes, html, type ZipEntry, zeros, zip } from "../../support/assets/media.ts";
import { Counted, index, Kept, MiB, open, refusal } from "../../support/assets/unpacking.ts";
import { repositoryRoot } from "../../support/repository.ts";

/** The last record of a zip, changed. */
function changedEnd(zip: Uint8Array, at: number, to: number[]): Uint8Array {
  const changed = bytes(zip);
  changed.set(to, zip.length - 22 + at);
  return changed;
}

describe("a zip that unpacks to more than the limit, or declares wrong sizes, is refused (F46)", () => {
  const big = 1024 * MiB;
  const page = (fields: Partial<ZipEntry>): ZipEntry => ({ name: "a.bin", ...fields });
  const first = zip([{ name: "b.txt", data: "quoted" }]);
  const quoted = first.subarray(0, Buffer.from(first).indexOf(bytes("PK\x01\x02")));
  const cases: [what: string, bundle: () => Uint8Array, says: string][] = [
    [
      "1 GiB",
      () => zip([index, page({ packed: zeros(big), size: big })]),
      "unpacks to more than 268435456 bytes",
    ],
    [
      "1 GiB that claims 100 bytes",
      () => zip([index, page({ packed: zeros(big), size: 100 })]),
      "Invalid uncompressed size",
    ],
    [
      "1 GiB that claims 256 MiB",
      () => zip([index, page({ packed: zeros(big), size: 256 * MiB - html.length })]),
      "Invalid uncompressed size",
    ],
    [
      "many of them",
      () => zip([index, ...Array.from({ length: 300 }, (_, one) => page({ name: `${one}`, size: MiB }))]),
      "unpacks to more than",
    ],
    [
      "a file that claims more than it has",
      () => zip([index, page({ data: "x", size: 9 })]),
      "Invalid CRC32",
    ],
    [
      "a stored file that claims more than it has",
      () => zip([index, page({ data: "x", size: 9, method: 0 })]),
      "declares a false size",
    ],
    ["a wrong checksum", () => zip([index, page({ data: "x", crc: 1 })]), "Invalid CRC32"],
    [
      "data that were never packed",
      () => zip([index, page({ packed: bytes([0xff, 1, 2, 3]), size: 9 })]),
      "Invalid compressed data",
    ],
    ...[1, limits.blockBytes, 4 * MiB].map((count): (typeof cases)[number] => [
      `${count} bytes behind the data`,
      () =>
        zip([
          index,
          page({
            packed: bytes(deflateRawSync(bytes("x")), new Uint8Array(count)),
            size: 1,
            crc: crc32("x"),
          }),
        ]),
      "The zip file is damaged (Invalid ",
    ]),
    [
      "data that end early",
      () => zip([index, page({ packed: deflateRawSync(Buffer.alloc(999)).subarray(0, 5), size: 999 })]),
      "damaged",
    ],
    [
      "the same data twice",
      () => zip([index, { name: "b.txt", localName: "index.html", offset: 0 }]),
      "mismatched local file header",
    ],
    [
      "entries in entries",
      () =>
        zip([
          { name: "a.zip", data: quoted, method: 0 },
          { name: "b.txt", offset: 35, data: "quoted" },
          index,
        ]),
      "overlapping entries",
    ],
    ["an entry behind the end", () => zip([index, { name: "b.txt", offset: 2 ** 31, data: "x" }]), "damaged"],
    [
      "a longer name than the directory says",
      () => zip([index, { name: "b.txt", localName: "b.tx", data: "x" }]),
      "mismatched local file header",
    ],
    [
      "another name than the directory says",
      () => zip([index, page({ data: "x", localName: "b.bin" })]),
      "mismatched local file header",
    ],
    [
      "65000 entries",
      () => zip([index, ...Array.from({ length: 65_000 }, (_, one) => ({ name: `${one}` }))]),
      "more than",
    ],
    [
      "more entries than it counts",
      () => zip([index, page({})], { count: 1 }),
      "trailing central directory data",
    ],
    ["a part of several", () => changedEnd(zip([index]), 4, [1, 0]), "split archive"],
    ["something in front of it", () => bytes("#!/bin/sh\n", zip([index])), "prepended data"],
    [
      "a directory that ends early",
      () => changedEnd(zip([index]), 12, [0xff, 0, 0, 0]),
      "trailing central directory data",
    ],
    ["no end", () => zip([index]).subarray(0, -5), "End of central directory not found"],
    ["no zip at all", () => bytes("PK\x03\x04 and nothing else"), "format is not recognized"],
    ["nothing", () => new Uint8Array(), "format is not recognized"],
    ["no index", () => zip([{ name: "a/index.html" }, { name: "b/index.html" }]), "no index.html"],
    ["an index named otherwise", () => zip([{ name: "start.html" }]), "no index.html"],
  ];
  for (const [what, bundle, says] of cases)
    test(what, async () => {
      const probe = open();
      const sink = new (class extends Counted {
        override async write(file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
          const before = this.bytes;
          await super.write(file, content);
          expect(this.bytes - before).toBeLessThanOrEqual(file.size);
        }
      })();
      expect(await refusal(bundle(), probe, sink)).toContain(says);
      expect(sink.bytes).toBeLessThanOrEqual(256 * MiB);
      expect(probe.logged).toEqual([]); // it was told, not killed
    });

  test("a child that dies or hangs is a 400, and one that another process kills a 503", async () => {
    const scripts: [script: string, status: number][] = [
      ["process.exit(1)", 400],
      ["process.kill(process.pid, 'SIGABRT')", 400],
      ["for (;;);", 400],
      ["process.kill(process.pid, 'SIGKILL')", 503],
    ];
    for (const [script, status] of scripts) {
      const probe = openProbe({
        command: [process.execPath, "-e", script],
        log: () => {},
        limits: { bundleMs: 500 },
      });
      const sink = new Kept();
      await expect(probe.unbundle(bytesSource(zip([index])), sink)).rejects.toMatchObject({ status });
      expect(sink.dropped).toBe(1);
    }
  });

  const frames = JSON.stringify(join(repositoryRoot, "src/files/probe/sandbox/message-frames.ts"));

  test("a child that sends too much is stopped", async () => {
    const script = `import { readSync, writeSync } from "node:fs";
      import { encodeFrame } from ${frames};
      const say = (head, body) => {
        const frame = encodeFrame(head, body);
        for (let at = 0; at < frame.length; ) at += writeSync(1, frame, at);
        readSync(0, new Uint8Array(10)); // an empty answer
      };
      say({ say: "file", path: "a", size: 1, mime: "a/b" });
      for (const body = new Uint8Array(900_000); ; ) say({ say: "bytes" }, body);`;
    const sink = new Counted();
    expect(await refusal(zip([index]), open([process.execPath, "-e", script]), sink)).toContain(
      "cannot be unpacked within",
    );
    expect(sink.bytes).toBeGreaterThan(255 * MiB);
    expect(sink.bytes).toBeLessThanOrEqual(256 * MiB);
  });

  test("a child that names a path outside is not trusted", async () => {
    const script = `import { encodeFrame } from ${frames}; await Bun.write(Bun.stdout, encodeFrame({ say: "file", path: "../evil", size: 1, mime: "a/b" })); for (;;);`;
    expect(await refusal(zip([index]), open([process.execPath, "-e", script]))).toContain(
      "has a segment that is empty",
    );
  });
});
