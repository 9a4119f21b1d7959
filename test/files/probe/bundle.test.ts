import { describe, expect, test } from "bun:test";
import { strToU8, Zip, ZipDeflate, zipSync } from "fflate";
import { limits } from "../../../src/files/probe/limits.ts";
import type { BundleFile, Sink } from "../../../src/files/probe/port.ts";
import { openProbe } from "../../../src/files/probe/probe.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { bytes, crcAgain, html, packedAgain, zeros, zerosCrc, zip } from "../../support/assets/media.ts";
import { Counted, index, Kept, MiB, ours, probe, refusal } from "../../support/assets/unpacking.ts";

async function unpack(bundle: Uint8Array, by = probe) {
  const sink = new Kept();
  const { index, files } = await by.unbundle(bytesSource(bundle), sink);
  expect(files).toEqual([...sink.files.values()].map(({ file }) => file));
  const contents = Object.fromEntries(
    [...sink.files].map(([path, { content }]) => [path, content.toString("latin1")]),
  );
  return { index, files, contents, dropped: sink.dropped };
}

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

  test("may unpack to 256 MiB of text in time, which pass through this process without staying in it", async () => {
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
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let most = 0;
    const sink = new (class extends Counted {
      override async write(file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
        const watched = async function* () {
          let pieces = 0;
          for await (const piece of content) {
            if (pieces++ % 64 === 0) Bun.gc(true); // unreferenced memory does not count
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

  test("waits for a slow sink", async () => {
    const size = 4 * MiB;
    const bundle = zip([index, { name: "zeros.bin", packed: zeros(size), size, crc: zerosCrc(size) }]);
    const patient = {
      ...openProbe({ command: ours, log: () => {}, limits: { bundleMs: 4000, sourceMs: 4000 } }),
    };
    const sink = new Counted();
    const keep = sink.write.bind(sink);
    sink.write = async (file, content) => {
      await Bun.sleep(2100); // twice: more than the child may work
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
    const found: string[] = [];
    const lazy: Sink = {
      async write({ path }, content) {
        found.push(path);
        if (path === "b.bin") for await (const _ of content) break;
      },
      async discard() {},
    };
    expect((await probe.unbundle(bytesSource(bundle), lazy)).files).toHaveLength(3);
    expect(found).toEqual(["a.bin", "b.bin", "index.html"]);

    const failing = new Counted();
    failing.write = async ({ path }) => {
      if (path === "b.bin") throw new Error("the store is full");
    };
    await expect(probe.unbundle(bytesSource(bundle), failing)).rejects.toThrow("the store is full");
    expect(failing.dropped).toBe(1);
  });
});
