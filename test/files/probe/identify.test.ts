/** A file is what its bytes are, whatever it claims. */
import { deflateSync } from "node:zlib";
import { blackPng, changed, scriptedJpeg, utf16 } from "../../support/assets/hostile-files.ts";
import * as made from "../../support/assets/media.ts";
import { cut, describeFiles, type Made, turned } from "../../support/assets/test-probe.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const svgOf = (attributes: string) =>
  `<?xml version="1.0"?><!-- <svg width="1"> --><svg xmlns="x" ${attributes}><g/></svg>`;
describeFiles("an SVG has the width and height that a browser gives it", [
  ["of its attributes", () => svgOf(`width="120" height='80.6px'`), ["image/svg+xml", "image", 120, 81]],
  ["in other units", () => svgOf('width="1in" height="2.54cm"'), ["image/svg+xml", "image", 96, 96]],
  ["of its view box", () => svgOf('viewBox="0 0 300 150"'), ["image/svg+xml", "image", 300, 150]],
  [
    "of its view box, where the others are shares",
    () => svgOf('width="100%" height="100%" viewBox="-5,-5,30,10"'),
    ["image/svg+xml", "image", 30, 10],
  ],
  [
    "of one of them and the view box",
    () => svgOf('width="600" viewBox="0 0 300 150"'),
    ["image/svg+xml", "image", 600, 300],
  ],
  [
    "with a prefix",
    () => '<s:svg xmlns:s="x" data-width="9" width="7" height="5"/>',
    ["image/svg+xml", "image", 7, 5],
  ],
  ["in UTF-16", () => utf16('<svg width="7" height="5"/>'), ["image/svg+xml", "image", 7, 5]],
  ["or none, where it says nothing of them", () => svgOf(""), ["image/svg+xml", "image"]],
  [
    "or none, where they make no sense",
    () => svgOf('width="-1" height="1e99" viewBox="0 0 0 NaN"'),
    ["image/svg+xml", "image"],
  ],
]);

describeFiles("a file is what its bytes are", [
  ["a PNG", () => made.png(60, 40), ["image/png", "image", 60, 40]],
  ["a JPEG", () => made.jpeg(60, 40), ["image/jpeg", "image", 60, 40]],
  ["a progressive JPEG", () => made.jpeg(60, 40, { progressive: true }), ["image/jpeg", "image", 60, 40]],
  ["a JPEG that is to be turned has the dimensions it is seen with", turned, ["image/jpeg", "image", 40, 60]],
  ["a JPEG with padding between its segments", paddedJpeg, ["image/jpeg", "image", 60, 40]],
  ["a GIF", () => made.gif(9, 5), ["image/gif", "image", 9, 5]],
  ["a GIF that moves", () => made.gif(9, 5, 3), ["image/gif", "image", 9, 5]],
  ["a WebP", () => made.webp(60, 40), ["image/webp", "image", 60, 40]],
  ["a WebP that moves", () => made.animatedWebp(60, 40), ["image/webp", "image", 60, 40]],
  ["an SVG", () => made.svg, ["image/svg+xml", "image", 8, 8]],
  ["an MP4", () => made.mp4(), ["video/mp4", "video", 64, 48, 1000]],
  [
    "an MP4 without pictures is audio",
    () => made.mp4({ sound: true }),
    ["audio/mp4", "audio", null, null, 1000],
  ],
  ["a WebM", () => made.webm({ duration: 1500 }), ["video/webm", "video", 64, 48, 1500]],
  ["an MP3", () => made.mp3(100), ["audio/mpeg", "audio", null, null, 2612]],
  [
    "an MP3 with a tag in front",
    () => made.bytes("ID3", [4, 0, 0, 0, 0, 0, 0], made.mp3(100)),
    ["audio/mpeg", "audio", null, null, 2612],
  ],
  ["a WAV", () => made.wav(2), ["audio/wav", "audio", null, null, 2000]],
  ["a PDF", () => made.pdf(), ["application/pdf", "pdf"]],
  ["a page", () => made.html, ["text/html", "html"]],
  ["a piece of a page", () => "\n  <div>hello</div>", ["text/html", "html"]],
  [
    "an XHTML page",
    () => '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    ["application/xhtml+xml", "html"],
  ],
  [
    "a zip with an index at its root is a bundle",
    () => made.zip([{ name: "index.html" }, { name: "a/b.css" }]),
    ["application/zip", "html"],
  ],
  [
    "a zip with an index in its only folder is a bundle",
    () => made.zip([{ name: "a/" }, { name: "a/index.html" }]),
    ["application/zip", "html"],
  ],
  ["what macOS adds to a zip is no folder", macZip, ["application/zip", "html"]],
  [
    "a zip with two folders is a file",
    () => made.zip([{ name: "a/index.html" }, { name: "b/x" }]),
    ["application/zip", "file"],
  ],
  [
    "a zip without an index is a file",
    () => made.zip([{ name: "a.txt", data: "x" }]),
    ["application/zip", "file"],
  ],
  ["other XML", () => '<?xml version="1.0"?><rss/>', ["application/xml", "file"]],
  ["prose", () => "# Title\n\n<b>bold</b>\n", ["text/plain", "file"]],
  ["JSON", () => '{"a": 1}', ["text/plain", "file"]],
  ["text with a byte order mark", () => made.bytes([0xef, 0xbb, 0xbf], "hello"), ["text/plain", "file"]],
  ["UTF-16 text with a mark", () => utf16("hello"), ["text/plain", "file"]],
  [
    "a program",
    () => made.bytes([0x7f], "ELF", [2, 1, 1, 0], new Uint8Array(56)),
    ["application/x-elf", "file"],
  ],
  ["nothing", () => "", ["application/octet-stream", "file"]],
  ["zeros", () => new Uint8Array(5000), ["application/octet-stream", "file"]],
  [
    "random bytes",
    () => made.bytes([0x13], deflateSync("unknown").subarray(2)),
    ["application/octet-stream", "file"],
  ],
]);
async function paddedJpeg(): Promise<Uint8Array> {
  return made.withSegment(
    await made.jpeg(60, 40),
    made.bytes(made.jpegSegment(0xfe, "x"), [0, 0, 0xff, 0, 0xff, 0xff]),
  );
}
function macZip(): Uint8Array {
  return made.zip([
    { name: "site/index.html" },
    { name: "site/.DS_Store" },
    { name: "__MACOSX/site/._index.html" },
  ]);
}

describeFiles("a file that pretends is what its bytes are (F43)", [
  ["a PNG with a page behind it", () => made.bytes(made.png(6, 4), made.html), ["image/png", "image", 6, 4]],
  ["a JPEG with a script in its comment", scriptedJpeg, ["image/jpeg", "image", 60, 40]],
  [
    "a GIF that is a script as well",
    () => made.bytes("GIF89a/*", made.gif(3, 3).subarray(8), "*/=1;alert(1)"),
    ["image/gif", "image", 10799, 3],
  ],
  ["a script that begins like a GIF and is none", () => "GIF89a=0;alert(1)//", ["image/gif", "file"]],
  ["a page named .png", () => "<html><script>alert(1)</script>", ["text/html", "html"]],
  ["a page behind a mark of UTF-8", () => made.bytes([0xef, 0xbb, 0xbf], made.html), ["text/html", "html"]],
  ["a page in UTF-16, little end first", () => utf16(made.html), ["text/html", "html"]],
  ["a page in UTF-16, big end first", () => utf16(made.html, true), ["text/html", "html"]],
  [
    "a page in UTF-16 without a mark is no text",
    () => new Uint8Array(Buffer.from(made.html, "utf16le")),
    ["application/octet-stream", "file"],
  ],
  ["a page in UTF-7 is text", () => "+ADw-script+AD4-alert(1)+ADw-/script+AD4-", ["text/plain", "file"]],
  ["a page behind a comment without end", () => "<!-- hello", ["text/html", "html"]],
  ["an SVG behind a comment", () => "<!-- x --><svg onload=alert(1)>", ["image/svg+xml", "image"]],
  ["an SVG with a prefix", () => '<x:svg xmlns:x="http://www.w3.org/2000/svg"/>', ["image/svg+xml", "image"]],
  ["an SVG in UTF-16", () => utf16('<?xml version="1.0"?><svg/>'), ["image/svg+xml", "image"]],
  [
    "an SVG with entities (F42)",
    () => '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]><svg>&a;</svg>',
    ["image/svg+xml", "image"],
  ],
  ["words that begin like a bitmap", () => "BMW builds cars.\n", ["text/plain", "file"]],
  ["words that begin like a GIF", () => "GIF is pronounced as it is written.\n", ["text/plain", "file"]],
  ["words that begin like a program", () => "MZ is how they begin.\n", ["text/plain", "file"]],
  ["a list of media is text", () => "#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n", ["text/plain", "file"]],
  ["a list of ffmpeg is text", () => "ffconcat version 1.0\nfile /etc/passwd\n", ["text/plain", "file"]],
  [
    "a list behind the first bytes of an MP4",
    () => made.bytes(made.box("ftyp", made.bytes("isom")), "#EXTM3U\nfile:///etc/passwd\n"),
    ["video/mp4", "file"],
  ],
]);
const withoutEnd = async (bytes: Made, length: number) => cut(bytes, (await bytes).length - length);
describeFiles("an image that is cut while it is drawn is shown as far as it came, as in browsers", [
  ["a PNG that ends early", () => cut(made.png(60, 40), 90), ["image/png", "image", 60, 40]],
  ["a PNG without an end", () => withoutEnd(made.png(60, 40), 12), ["image/png", "image", 60, 40]],
  ["a JPEG that ends in its scan", () => withoutEnd(made.jpeg(60, 40), 20), ["image/jpeg", "image", 60, 40]],
  ["a JPEG without an end", () => withoutEnd(made.jpeg(60, 40), 2), ["image/jpeg", "image", 60, 40]],
  [
    "a JPEG without an end, with something behind it",
    async () => made.bytes(await withoutEnd(made.jpeg(60, 40), 2), new Uint8Array(99)),
    ["image/jpeg", "image", 60, 40],
  ],
  ["a GIF that ends early", () => cut(made.gif(20, 20), 60), ["image/gif", "image", 20, 20]],
  ["a GIF without an end", () => withoutEnd(made.gif(20, 20), 1), ["image/gif", "image", 20, 20]],
  [
    "a GIF that goes on as something else",
    async () => made.bytes(await withoutEnd(made.gif(20, 20), 1), "\0\0garbage"),
    ["image/gif", "image", 20, 20],
  ],
]);
const u32 = made.be32;
const empty = new Uint8Array(14);
const heif = (brand: string, properties: Uint8Array[]) =>
  made.bytes(
    made.box("ftyp", made.bytes(brand, u32(0), "mif1")),
    made.box(
      "meta",
      u32(0),
      made.box("pitm", u32(0), made.be16(7)),
      made.box(
        "iprp",
        made.box("ipco", made.box("ispe", u32(0), u32(9), u32(9)), ...properties),
        made.box(
          "ipma",
          u32(0),
          made.bytes(u32(2), made.be16(1), [1, 0x81], made.be16(7), [properties.length]),
          Uint8Array.from(properties.map((_, index) => 0x82 + index)),
        ),
      ),
    ),
  );
const extent = made.box("ispe", u32(0), u32(128), u32(96));
describeFiles("an image that is not decoded has the size in which it is shown", [
  ["AVIF", () => heif("avif", [extent]), ["image/avif", "image", 128, 96]],
  [
    "HEIC, turned a quarter",
    () => heif("heic", [extent, made.box("irot", Uint8Array.of(3))]),
    ["image/heic", "image", 96, 128],
  ],
  [
    "HEIC, cropped",
    () => heif("heic", [extent, made.box("clap", ...[100, 1, 50, 1, 0, 1, 0, 1].map(u32))]),
    ["image/heic", "image", 100, 50],
  ],
  ["HEIC without a size", () => heif("heic", []), ["image/heic", "image"]],
  [
    "TIFF, turned",
    () =>
      made.bytes(
        "II*\0",
        made.le32(8),
        made.le16(3),
        ...[
          [256, 120],
          [257, 80],
          [274, 6],
        ].map(([tag = 0, value = 0]) =>
          made.bytes(made.le16(tag), made.le16(3), made.le32(1), made.le32(value)),
        ),
      ),
    ["image/tiff", "image", 80, 120],
  ],
  ["JPEG XL", () => made.bytes(Buffer.from("ff0a8002000d0013", "hex")), ["image/jxl", "image", 129, 81]],
  [
    "an icon of two sizes",
    () => made.bytes([0, 0, 1, 0, 2, 0], [16, 16], empty, [0, 0], empty),
    ["image/x-icon", "image", 256, 256],
  ],
]);
describeFiles("a damaged image is a file without dimensions (F40)", [
  [
    "a PNG with one wrong bit",
    () => changed(made.png(60, 40), 50, made.bytes([0x55])),
    ["image/png", "file"],
  ],
  [
    "a PNG too large to decode, with one wrong bit",
    () => changed(blackPng(12_000, 12_000), 50, made.bytes([0x55])),
    ["image/png", "file"],
  ],
  [
    "a PNG whose data are none",
    () => made.png(60, 40, { data: made.bytes("no zlib") }),
    ["image/png", "file"],
  ],
  ["a PNG with too few rows", () => made.png(60, 40, { data: made.zlibZeros(10) }), ["image/png", "file"]],
  ["a PNG of 0 by 0", () => made.png(0, 0, { data: made.zlibZeros(1) }), ["image/png", "file"]],
  ["a JPEG that ends early", () => cut(made.jpeg(60, 40), 500), ["image/jpeg", "file"]],
  ["a WebP that ends early", () => cut(made.webp(60, 40), 50), ["image/webp", "image", 60, 40]],
  [
    "a WebP that moves and ends early",
    () => cut(made.animatedWebp(60, 40), 100),
    ["image/webp", "image", 60, 40],
  ],
  [
    "a WebP that says to be longer than it is",
    async () => changed(await made.webp(60, 40), 4, made.le32(99_999)),
    ["image/webp", "image", 60, 40],
  ],
  [
    "a GIF that says no size of its screen",
    () => changed(made.gif(9, 5), 6, made.le32(0)),
    ["image/gif", "image", 9, 5],
  ],
]);
