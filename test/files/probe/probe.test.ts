/** A caller of the probe: what it reads, waits for and gets; and the messages of its child. */
import { describe, expect, test } from "bun:test";
import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { blockReader } from "../../../src/files/probe/bytes.ts";
import { inspect as inspectAsChild } from "../../../src/files/probe/inspect.ts";
import { limits } from "../../../src/files/probe/limits.ts";
import type { FileSource, Probe } from "../../../src/files/probe/port.ts";
import { encodeFrame, FrameReader } from "../../../src/files/probe/sandbox/message-frames.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { blackPng, profileBomb, textBomb } from "../../support/assets/hostile-files.ts";
import * as made from "../../support/assets/media.ts";
import {
  asInspection,
  child,
  type Expected,
  helper,
  isAlive,
  look,
  open,
  probe,
  typed,
} from "../../support/assets/test-probe.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const png = bytesSource(made.png(60, 40));

describe("a file whose first bytes are at hand", () => {
  const inspectTyped = async (bytes: Uint8Array, by: Probe) =>
    by.inspect({ ...bytesSource(bytes), head: bytes.subarray(0, 64 * 2 ** 10) });

  test("is identified without a child if it is plain text", async () => {
    const probe = open({ command: [join(tmpdir(), "nothing")] });
    for (const [text, expected] of [
      ["# Title\n\n<b>bold</b>\n", ["text/plain", "file"]],
      [made.html, ["text/html", "html"]],
      [made.svg, ["image/svg+xml", "image", 8, 8]],
      [`x${"é".repeat(2 ** 16)}`, ["text/plain", "file"]], // its head ends in the middle of a letter
      [Buffer.from("Gr\xf6\xdfe;caf\xe9\n", "latin1"), ["text/plain", "file"]], // Latin-1
      [Buffer.from("<title>caf\xe9</title>", "latin1"), ["text/html", "html"]],
      [made.bytes([0xff, 0xfe], "words"), ["text/plain", "file"]], // marked as UTF-16, which it is not
      [Buffer.from("\x1b$B<h1>\x1b(B", "latin1"), ["text/plain", "file"]], // in ISO-2022-JP
    ] as [string | Uint8Array, Expected][])
      expect(await inspectTyped(Buffer.from(text as string), probe)).toEqual(asInspection(expected));
    expect(probe.logged).toEqual([]);
    for (const other of [made.bytes(made.pdf()), new Uint8Array()]) await inspectTyped(other, probe);
    expect(probe.logged).toHaveLength(2);
  });

  test("is identified without a child if fixed bytes tell its type, as a child would", async () => {
    const probe = open({ command: [join(tmpdir(), "nothing")] });
    const zeros = new Uint8Array(600);
    const reported: unknown[] = [];
    for (const [bytes, mime] of [
      [made.bytes([0], "asm", [1, 0, 0, 0], zeros), "application/wasm"],
      [made.bytes([0x7f], "ELF", [2, 1, 1, 0], zeros), "application/x-elf"],
      [made.bytes("7z", [0xbc, 0xaf, 0x27, 0x1c], zeros), "application/x-7z-compressed"],
      [made.bytes("SQLite format 3", zeros), "application/x-sqlite3"],
      [made.bytes("glTF", [2, 0, 0, 0], zeros), "model/gltf-binary"],
      [made.bytes("%PDF-1.7\n", [0xff, 0], zeros), "application/pdf"],
      [made.bytes([0], "%PDF-1.7", zeros, "%%EOF"), "application/pdf"],
      [gzipSync(zeros), "application/gzip"],
      [made.bytes("words", [0]), "application/octet-stream"],
      [made.bytes([0xfe], new Uint8Array(2 ** 16), "more"), "application/octet-stream"],
    ] as [Uint8Array, string][]) {
      const read = (offset: number, length: number) => bytes.subarray(offset, offset + length);
      const { found } = await inspectAsChild({ size: bytes.length, read }, (type) => reported.push(type));
      expect(found).toEqual(asInspection([mime, "application/pdf" === mime ? "pdf" : "file"]));
      expect(await inspectTyped(bytes, probe)).toEqual(found);
      expect(await probe.inspect(bytesSource(bytes))).toEqual(found);
    }
    expect([reported, probe.logged]).toEqual([[], []]);
  });

  test("is left to a child if a parser has to read it, or more of it than is at hand", async () => {
    const { gif, mp3, mp4, noisyPng, wav, webm, webp, zip } = made;
    const hidden = made.bytes([0], "%PDF-1.7", new Uint8Array(2 ** 17), "%%EOF");
    const marked = made.bytes([0xef, 0xbb, 0xbf], "PK", [3, 4], new Uint8Array(9));
    const tiff = made.bytes("II*", [0, 8, 0, 0, 0, 255, 255], new Uint8Array(99));
    const files = [gif(9, 5), mp3(9), mp4(), noisyPng(9, 9), wav(1), await webm(), await webp(9, 9)];
    const probe = open({ command: [join(tmpdir(), "nothing")] });
    // A zip cannot be checked without a child.
    await expect(inspectTyped(zip([{ name: "a" }]), probe)).rejects.toThrow("could not check");
    for (const bytes of [...files, hidden, marked, tiff])
      expect((await inspectTyped(bytes, probe)).mime).toBe("application/octet-stream");
    expect(probe.logged).toHaveLength(files.length + 4);
  });

  test("of a text format with a signature is identified by it", async () => {
    const begun = {
      ...{
        "%PDF-1.7": "application/pdf",
        "%!PS-Adobe-3.0": "application/postscript",
        "{\\rtf1": "application/rtf",
        WEBVTT: "text/vtt",
      },
      ...{
        "BEGIN:VCARD": "text/vcard",
        "BEGIN:VCALENDAR": "text/calendar",
        GIF89a: "image/gif",
        "II*": "text/plain",
        ID3: "text/plain",
      },
    };
    for (const [beginning, mime] of Object.entries(begun))
      for (const mark of ["", "\ufeff"])
        expect((await inspectTyped(Buffer.from(`${mark}${beginning} and words\n`), probe)).mime).toBe(mime);
    for (const bytes of [await made.png(60, 40), made.wav(1), made.mp4(), made.zip([{ name: "index.html" }])])
      expect(await inspectTyped(bytes, probe)).toEqual(await look(bytes));
  });

  test("is a text by its first 64 KiB, whatever else is at hand", async () => {
    const probe = open({ command: [join(tmpdir(), "nothing")] });
    const bytes = made.bytes("words ".repeat(2 ** 14), [0]);
    expect(await probe.inspect({ ...bytesSource(bytes), head: bytes })).toEqual(
      asInspection(["text/plain", "file"]),
    );
    expect(probe.logged).toEqual([]);
  });

  test("is not read for them again", async () => {
    const bytes = made.png(60, 40);
    const read = async () => {
      throw new Error("asked");
    };
    expect(await probe.inspect({ size: bytes.length, head: bytes, read })).toEqual(
      asInspection(["image/png", "image", 60, 40]),
    );
  });
});

describe("a caller", () => {
  test("reads little of a large file", async () => {
    const bytes = made.bytes(made.mp4());
    const size = 2 ** 40;
    let requestCount = 0;
    const source: FileSource = {
      size,
      async read(offset, length) {
        requestCount += length;
        const part = new Uint8Array(length);
        part.set(bytes.subarray(offset, offset + length));
        return part;
      },
    };
    const large = made.mp4();
    // The data box has no size, so it reaches to the end of the file.
    bytes.set(made.be32(0), Buffer.from(large).indexOf("mdat") - 4);
    expect(await probe.inspect(source)).toEqual(asInspection(["video/mp4", "video", 64, 48, 1000]));
    expect(requestCount).toBeLessThan(4 * 2 ** 20);
  });

  test("is limited in its reads", () => {
    let requestCount = 0;
    const ask = (_offset: number, length: number) => {
      requestCount += length;
      return new Uint8Array(length);
    };
    const file = blockReader(2 ** 40, 2 ** 23, ask);
    const readOn = () => {
      for (let at = 0; ; at += 1000) file.read(at, 1000);
    };
    expect(readOn).toThrow(RangeError);
    expect(requestCount).toBe(2 ** 23);
  });

  test("gets the error of its source, and the child is killed", async () => {
    const source: FileSource = { size: 9, read: () => Promise.reject(new Error("the store is away")) };
    const { command, pid } = await child('say({ say: "read", offset: 0, length: 9 }); for (;;);');
    const own = open(); // the shared one logs what other files did
    for (const by of [own, open({ command })]) {
      await expect(by.inspect(source)).rejects.toThrow("the store is away");
      await expect(by.thumbnail(source, asInspection(["image/png", "image", 1, 1]))).rejects.toThrow(
        "the store is away",
      );
    }
    expect(isAlive(pid())).toBe(false);
    expect(own.logged).toEqual([]);
  });

  test("does not charge a slow source to the child's working time", async () => {
    const bytes = made.png(60, 40);
    const { promise, resolve } = Promise.withResolvers<void>();
    const patient = open({ limits: { childMs: 2000 } });
    const source: FileSource = {
      size: bytes.length,
      read: (offset, length) => promise.then(() => bytes.subarray(offset, offset + length)),
    };
    const found = patient.inspect(source);
    await Bun.sleep(2500); // longer than a child may work
    resolve();
    expect(await found).toEqual(asInspection(["image/png", "image", 60, 40]));
  });

  test("waits no longer than the total time limit", async () => {
    const never = new Promise<Uint8Array>(() => {});
    const { command, pid } = await child(`${typed} say({ say: "read", offset: 0, length: 9 }); for (;;);`);
    const probe = open({ command, limits: { sourceMs: 2000 }, path: await helper("pdftoppm", "exit 1") });
    expect(await probe.inspect({ size: 9, read: () => never })).toEqual(asInspection(["image/png", "image"]));
    expect(isAlive(pid())).toBe(false);
    expect(
      await probe.thumbnail({ size: 9, read: () => never }, asInspection(["application/pdf", "pdf"])),
    ).toBeNull();
    expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its total time limit"]);
  });

  test("queues: no more files are inspected than there are cores", async () => {
    const bytes = made.png(60, 40);
    let [inside, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const source: FileSource = {
      size: bytes.length,
      async read(offset, length) {
        most = Math.max(most, ++inside);
        if (most === availableParallelism()) gate.resolve();
        await gate.promise;
        inside--;
        return bytes.subarray(offset, offset + length);
      },
    };
    await Promise.all(Array.from({ length: 3 * availableParallelism() }, () => probe.inspect(source)));
    expect(most).toBe(availableParallelism());
  });

  test("uses little memory while children unpack bombs", async () => {
    const bombs = [profileBomb(), textBomb(), blackPng(12_000, 12_000)].map(bytesSource);
    const goOff = () =>
      Promise.all(bombs.map(async (bomb) => probe.thumbnail(bomb, await probe.inspect(bomb))));
    await goOff();
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    await goOff();
    Bun.gc(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 2 ** 20);
  });
});

test("nothing stays in the temporary folder, and folders of a killed server are deleted", async () => {
  const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("svc-probe-"));
  // of the server that was killed above
  for (const name of await left()) await rm(join(tmpdir(), name), { recursive: true });
  const [old, recent] = [join(tmpdir(), "svc-probe-old"), join(tmpdir(), "svc-probe-recent")];
  for (const path of [old, recent]) {
    await mkdir(path);
    await writeFile(join(path, "copy"), "bytes");
  }
  const twoHoursAgo = Date.now() / 1000 - 7200;
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await open().inspect(png);
  expect(await left()).toEqual(["svc-probe-recent"]);
});

describe("messages", () => {
  const messages = ["", "a", "bc".repeat(300), "", "d"].map((body, number) => ({
    head: { say: "bytes", number },
    body: Buffer.from(body),
  }));
  const sent = Buffer.concat(messages.map(({ head, body }) => encodeFrame(head, body)));

  test("are the same in any chunks", () => {
    for (const length of [1, 2, 7, 8, 9, 50, 600, sent.length]) {
      const reader = new FrameReader(limits.frameBytes);
      const heard = [];
      for (let at = 0; at < sent.length; at += length) {
        reader.push(sent.subarray(at, at + length));
        for (let frame = reader.next(); frame; frame = reader.next())
          heard.push({ head: frame.head, body: Buffer.from(frame.body) });
      }
      expect(heard).toEqual(messages);
    }
  });

  test("that declare too much are rejected immediately, and none is read after an invalid one", () => {
    const reader = new FrameReader(16);
    reader.push(made.bytes([0, 0, 0, 1], [0, 0, 0, 16]));
    expect(() => reader.next()).toThrow("too long");
    const broken = new FrameReader(99);
    broken.push(made.bytes([0, 0, 0, 1], [0, 0, 0, 0], "?", encodeFrame({})));
    for (let attempt = 0; attempt < 2; attempt++) expect(() => broken.next()).toThrow();
  });
});
