import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { strToU8, Zip, ZipDeflate, zipSync } from "fflate";
import type { BundleFile } from "../../src/probe/bundle/bundle.ts";
import { safePath, UniqueNames } from "../../src/probe/bundle/names.ts";
import type { Sink } from "../../src/probe/bundle/receiver.ts";
import { limits } from "../../src/probe/limits.ts";
import { openProbe, type Probe } from "../../src/probe/probe.ts";
import { bytesSource } from "../../src/probe/source.ts";
import { Problem } from "../../src/problem.ts";
import { isKey, variantKey } from "../../src/stores/keys.ts";
import type { LogLine } from "../support/harness.ts";
import { bytes, crcAgain, html, packedAgain, type ZipEntry, zeros, zerosCrc, zip } from "../support/media.ts";
import { repositoryRoot } from "../support/repository.ts";

const { SVC_TEST_BINARY: binary } = process.env;
const ours = binary ? [binary, "probe"] : [process.execPath, join(repositoryRoot, "cli/probe.ts")];

function open(command = ours): Probe & { logged: LogLine[] } {
  const logged: LogLine[] = [];
  return {
    ...openProbe({ command, log: (level, message, fields) => void logged.push({ level, message, fields }) }),
    logged,
  };
}
const probe = open();
const MiB = 2 ** 20;

/** Keeps files in memory. */
class Kept implements Sink {
  readonly files = new Map<string, { file: BundleFile; content: Buffer }>();
  dropped = 0;

  async write(file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.files.set(file.path, { file, content: Buffer.alloc(0) });
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    this.files.set(file.path, { file, content: Buffer.concat(pieces) });
  }

  async discard(): Promise<void> {
    this.files.clear();
    this.dropped++;
  }
}

/** Counts files and bytes, and forgets them. */
class Counted implements Sink {
  files = 0;
  bytes = 0;
  dropped = 0;

  async write(_file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.files++;
    for await (const piece of content) this.bytes += piece.length;
  }

  async discard(): Promise<void> {
    this.dropped++;
  }
}

async function unpack(bundle: Uint8Array, by = probe) {
  const sink = new Kept();
  const { index, files } = await by.unbundle(bytesSource(bundle), sink);
  expect(files).toEqual([...sink.files.values()].map(({ file }) => file));
  const contents = Object.fromEntries(
    [...sink.files].map(([path, { content }]) => [path, content.toString("latin1")]),
  );
  return { index, files, contents, dropped: sink.dropped };
}

/** What is said of a bundle of which nothing was kept. */
async function refusal(
  bundle: Uint8Array,
  by = probe,
  sink: Sink & { dropped: number } = new Kept(),
): Promise<string> {
  const error = await by.unbundle(bytesSource(bundle), sink).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(Problem);
  expect([error.status, sink.dropped]).toEqual([400, 1]);
  if (sink instanceof Kept) expect(sink.files.size).toBe(0);
  return error.detail;
}

const index: ZipEntry = { name: "index.html", data: html };

describe("a bundle", () => {
  test("yields its files, their types by extension, and the index", async () => {
    const files = {
      "index.html": html,
      "a/style.CSS": "b { color: red }",
      "a/b/app.js": "let a",
      "data.bin": "\0\x01",
      README: "x",
      "e.txt": "",
    };
    const expected: BundleFile[] = [
      { path: "index.html", size: html.length, mime: "text/html" },
      { path: "a/style.CSS", size: 16, mime: "text/css" },
      { path: "a/b/app.js", size: 5, mime: "text/javascript" },
      { path: "data.bin", size: 2, mime: "application/octet-stream" },
      { path: "README", size: 1, mime: "application/octet-stream" },
      { path: "e.txt", size: 0, mime: "text/plain" },
    ];
    for (const method of [8, 0]) {
      const bundle = zip([
        { name: "a/" },
        ...Object.entries(files).map(([name, data]) => ({ name, data: bytes(data), method })),
      ]);
      expect(await unpack(bundle)).toEqual({
        index: "index.html",
        files: expected,
        contents: files,
        dropped: 0,
      });
    }
  });

  test("may have its index in its only folder, next to metadata of macOS", async () => {
    const additions = [
      { name: "__MACOSX/site/._index.html", data: "x" },
      { name: "site/.DS_Store", data: "x" },
    ];
    const { index, contents } = await unpack(
      zip([{ name: "site/" }, { name: "site/index.html", data: html }, ...additions, { name: "site/a.css" }]),
    );
    expect([index, Object.keys(contents)]).toEqual(["site/index.html", ["site/index.html", "site/a.css"]]);
  });

  test("may be made by other programs, also as a stream with data descriptors", async () => {
    const text = "hello ".repeat(100_000);
    const whole = zipSync({ "index.html": strToU8(html), a: { "b.txt": strToU8(text) } });
    const pieces: Uint8Array[] = [];
    const stream = new Zip((_error, piece) => void pieces.push(piece));
    for (const [name, content] of [
      ["index.html", html],
      ["a/b.txt", text],
    ] as const) {
      const file = new ZipDeflate(name);
      stream.add(file);
      file.push(strToU8(content), true);
    }
    stream.end();
    for (const bundle of [whole, Buffer.concat(pieces)])
      expect((await unpack(bundle)).contents).toEqual({ "index.html": html, "a/b.txt": text });
  });

  test("may have a comment, an entry's own modes, names in any script, and zips, which stay as they are", async () => {
    const inner = zip([{ name: "deep.txt", data: zeros(9) }]);
    const names = ["Übersicht/日本語.html", "a b (1) [x]~.txt", "@scope/_app'.js", "#.txt"];
    const entries = [
      index,
      { name: "inner.zip", data: inner },
      ...names.map((name) => ({ name, attributes: 0o100644 * 2 ** 16 })),
    ];
    const { contents } = await unpack(zip(entries, { comment: "made by hand" }));
    expect(Object.keys(contents)).toEqual(["index.html", "inner.zip", ...names]);
    expect(contents["inner.zip"]).toBe(Buffer.from(inner).toString("latin1"));
  });

  test(`may have ${limits.bundleEntries} entries, and one more is refused`, async () => {
    const entries = Array.from({ length: limits.bundleEntries - 1 }, (_, number) => ({
      name: `f/${number}.txt`,
      data: "x",
    }));
    expect((await unpack(zip([index, ...entries]))).files).toHaveLength(limits.bundleEntries);
    expect(await refusal(zip([index, ...entries, { name: "f/" }]))).toContain("more than 2000 entries");
  });

  test("may unpack to 256 MiB, which pass through this process without staying in it", async () => {
    const size = 256 * MiB - html.length;
    const bundle = zip([index, { name: "zeros.bin", packed: zeros(size), size, crc: zerosCrc(size) }]);
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let most = 0;
    const sink = new (class extends Counted {
      override async write(file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
        const watched = async function* () {
          let pieces = 0;
          for await (const piece of content) {
            if (pieces++ % 32 === 0) Bun.gc(true); // what nobody holds is not meant
            most = Math.max(most, process.memoryUsage.rss());
            yield piece;
          }
        };
        await super.write(file, watched());
      }
    })();
    const { files } = await probe.unbundle(bytesSource(bundle), sink);
    expect([sink.files, sink.bytes, files.at(-1)?.size]).toEqual([2, 256 * MiB, size]);
    expect(most - before).toBeLessThan(96 * MiB);
    expect(probe.logged).toEqual([]);
  });

  test("may unpack to as much text within the time limit", async () => {
    const words = Array.from(
      { length: 40_000 },
      (_, line) => `line ${line} ${Math.random().toString(36)}\n`,
    ).join("");
    const block = Buffer.from(words).subarray(0, MiB);
    const size = 256 * MiB - html.length;
    const bundle = zip([
      index,
      { name: "log.txt", packed: packedAgain(block, size), size, crc: crcAgain(block, size) },
    ]);
    const sink = new Counted();
    await probe.unbundle(bytesSource(bundle), sink);
    expect(sink.bytes).toBe(256 * MiB);
    expect(probe.logged).toEqual([]);
  });

  test("waits for a slow sink", async () => {
    const size = 4 * MiB;
    const bundle = zip([index, { name: "zeros.bin", packed: zeros(size), size, crc: zerosCrc(size) }]);
    const patient = {
      ...openProbe({ command: ours, log: () => {}, limits: { bundleMs: 1500, sourceMs: 1500 } }),
    };
    const sink = new Counted();
    const keep = sink.write.bind(sink);
    sink.write = async (file, content) => {
      await Bun.sleep(1100); // twice: more than the child may work
      await keep(file, content);
    };
    await patient.unbundle(bytesSource(bundle), sink);
    expect(sink.bytes).toBe(size + html.length);
  });

  test("continues if the sink skips a file, and leaves nothing if the sink fails", async () => {
    const bundle = zip([
      { name: "a.bin", data: zeros(0), method: 0 },
      { name: "b.bin", data: Buffer.alloc(3 * MiB), method: 0 },
      index,
    ]);
    const seen: string[] = [];
    const lazy: Sink = {
      async write({ path }, content) {
        seen.push(path);
        if (path === "b.bin") for await (const _ of content) break;
      },
      async discard() {},
    };
    expect((await probe.unbundle(bytesSource(bundle), lazy)).files).toHaveLength(3);
    expect(seen).toEqual(["a.bin", "b.bin", "index.html"]);

    const failing = new Counted();
    failing.write = async ({ path }) => {
      if (path === "b.bin") throw new Error("the store is full");
    };
    await expect(probe.unbundle(bytesSource(bundle), failing)).rejects.toThrow("the store is full");
    expect(failing.dropped).toBe(1);
  });
});

describe("a name that leads out of the bundle, or is not the same everywhere, is refused (F45)", () => {
  const names: [form: string, name: string | Uint8Array][] = [
    ["the parent", "../evil.html"],
    ["the parent, further down", "a/../../evil.html"],
    ["the parent, at the end", "a/.."],
    ["the root", "/etc/passwd"],
    ["a host", "//host/share"],
    ["a drive", "C:/evil.html"],
    ["a drive and no slash", "C:evil.html"],
    ["a backslash", "..\\evil.html"],
    ["a host of Windows", "\\\\host\\share"],
    ["the folder itself", "./a.html"],
    ["an empty part", "a//b.html"],
    ["nothing", ""],
    ["a slash", "/"],
    ["NUL", "a.html\0.png"],
    ["a line break", "a\r\nb.html"],
    ["an escape", "a\x1b[2J.html"],
    ["an escaped parent", "%2e%2e/evil.html"],
    ["an escaped slash", "..%2fevil.html"],
    ["a stream", "a.html:hidden"],
    ["a wildcard", "*.html"],
    ["a dot at the end", "a.html."],
    ["a dot at the end of a folder", "a./b.html"],
    ["a space at the end", "a.html "],
    ["a space at the start", " a.html"],
    ["two dots and a space", ".. /evil.html"],
    ["a device", "con"],
    ["a device with an extension", "a/NUL.txt"],
    ["a port", "COM1.html"],
    ["another direction", "a\u202ehtml.exe"],
    ["nothing to be seen", "a\u200b.html"],
    ["a name of 256 bytes", `${"a".repeat(251)}.html`],
    ["a path of 513 bytes", `${"a/".repeat(254)}.html`],
    ["overlong UTF-8", bytes([0xc0, 0xae, 0xc0, 0xae], "/evil.html")],
    ["no UTF-8", bytes("caf\xe9.html")],
    ["half a surrogate pair", bytes([0xed, 0xa0, 0x80], ".html")],
  ];
  for (const [form, name] of names)
    test(form, async () => {
      const detail = await refusal(zip([index, { name, data: "evil" }]));
      expect(detail).toMatch(/^The bundle contains a file whose name (has|contains|is) /);
      expect(detail).toMatch(/^[ -~]*$/);
    });

  const pairs: [form: string, names: string[]][] = [
    ["a name twice", ["a.html", "a.html"]],
    ["two names but for their case", ["a.html", "A.html"]],
    ["two folders but for their case", ["a/b.html", "A/c.html"]],
    ["two names but for their composition", ["\u00e9.html", "e\u0301.html"]],
    ["two names that look alike to a file system", ["\uff41.html", "a.html"]],
    ["a file in a file", ["a", "a/b.html"]],
    ["a folder that is a file", ["a/b.html", "a"]],
    ["two index pages but for their case", ["INDEX.html"]],
  ];
  for (const [form, names] of pairs)
    test(form, async () =>
      expect(await refusal(zip([index, ...names.map((name) => ({ name }))]))).toContain(
        names.length === 2 && names[0] === names[1] ? "duplicate filename" : "contains a name twice",
      ),
    );

  test("an accepted name is a valid storage key and portable", () => {
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for (let code = 1; code < 0x3000; code++) {
      const name = `a${String.fromCharCode(code)}b.html`;
      const path = (() => {
        try {
          return safePath(Buffer.from(name));
        } catch {
          return null;
        }
      })();
      if (path !== null) expect([name, isKey(variantKey(id, `bundle/${path}`))]).toEqual([name, true]);
    }
    const kept = new UniqueNames();
    kept.add("a/b.html", false);
    kept.add("a/", true);
    kept.add("a/c.html", false);
    expect(() => kept.add("A/d.html", false)).toThrow(Problem);
  });
});

/** The last record of a zip, changed. */
function changedEnd(zip: Uint8Array, at: number, to: number[]): Uint8Array {
  const changed = bytes(zip);
  changed.set(to, zip.length - 22 + at);
  return changed;
}

describe("anything but a plain file is rejected (F45)", () => {
  const unix = (type: number) => (type | 0o644) * 2 ** 16;
  const oddities: [what: string, entry: ZipEntry, says: string][] = [
    ["a link", { name: "a", data: "/etc/passwd", attributes: unix(0o120000) }, "neither a file nor a folder"],
    ["a device", { name: "a", attributes: unix(0o020000) }, "neither a file nor a folder"],
    ["a disk", { name: "a", attributes: unix(0o060000) }, "neither a file nor a folder"],
    ["a pipe", { name: "a", attributes: unix(0o010000) }, "neither a file nor a folder"],
    ["a socket", { name: "a", attributes: unix(0o140000) }, "neither a file nor a folder"],
    ["a folder named like a file", { name: "a", attributes: unix(0o040000) }, "neither a file nor a folder"],
    ["a file named like a folder", { name: "a/", data: "x" }, "a folder entry with data"],
    ["a device of DOS", { name: "a", attributes: 0x40 }, "neither a file nor a folder"],
    ["an encrypted file", { name: "a", data: "x", flags: 1 }, "an encrypted file"],
    ["a strongly encrypted file", { name: "a", data: "x", flags: 0x41 }, "an encrypted file"],
    ["another method", { name: "a", data: "x", method: 14 }, "unsupported compression method"],
  ];
  for (const [what, entry, says] of oddities)
    test(what, async () => expect(await refusal(zip([index, entry]))).toContain(says));
});

describe("a zip that unpacks to more than it may, or lies, is refused (F46)", () => {
  const big = 1024 * MiB;
  const page = (said: Partial<ZipEntry>): ZipEntry => ({ name: "a.bin", ...said });
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
    ["an index named otherwise", () => zip([{ name: "Index.html" }]), "no index.html"],
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

  test("a child that dies or hangs is a 400", async () => {
    for (const script of ["process.exit(1)", "process.kill(process.pid, 'SIGKILL')", "for (;;);"]) {
      const probe = openProbe({
        command: [process.execPath, "-e", script],
        log: () => {},
        limits: { bundleMs: 500 },
      });
      const sink = new Kept();
      await expect(probe.unbundle(bytesSource(zip([index])), sink)).rejects.toMatchObject({ status: 400 });
      expect(sink.dropped).toBe(1);
    }
  });

  const frames = JSON.stringify(join(repositoryRoot, "src/probe/sandbox/message-frames.ts"));

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
