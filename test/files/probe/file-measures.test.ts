/** What checks measure of files: the contrast of text as the source declares colors, and metadata. */
import { describe, expect, test } from "bun:test";
import { blockReader } from "../../../src/files/probe/bytes.ts";
import { leastContrast } from "../../../src/files/probe/measures/contrast.ts";
import { measuresOf } from "../../../src/files/probe/measures/measures.ts";

const bytesReader = (bytes: Buffer) =>
  blockReader(bytes.length, 1e8, (offset, length) => bytes.subarray(offset, offset + length));
const ratioOf = (source: string) => leastContrast(source)?.ratio ?? null;
const page = (css: string, body: string) =>
  `<!doctype html><html><head><style>${css}</style></head><body>${body}</body></html>`;

describe("the least contrast of text", () => {
  test("is that of WCAG for declared colors, wherever they are declared", () => {
    const gray = 4.47; // #777 on white
    for (const source of [
      page("p { color: #777 }", "<p>Pier</p>"),
      page("", '<p style="color: rgb(119, 119, 119)">Pier</p>'),
      page(":root { --soft: #777 } .note { color: var(--soft) }", '<p class="note">Pier</p>'),
      page("main p { color: #777 } p { color: #000 }", "<main><p>Pier</p></main>"),
      page("p { color: #777 } @media print { p { color: #000 } }", "<p>Pier</p>"),
      page("body { background: #777; color: #fff }", "Pier"),
      page("p { color: rgba(0, 0, 0, 0.533) }", "<p>Pier</p>"),
      '<svg xmlns="http://www.w3.org/2000/svg"><text x="1" y="9" fill="#777">Pier</text></svg>',
      '<svg xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#777"/><text fill="white">Pier</text></svg>',
    ])
      expect([source, ratioOf(source)]).toEqual([source, expect.closeTo(gray, 1)]);
    expect(ratioOf(page("", "<p>Pier</p>"))).toBe(21);
    expect(leastContrast(page("b { color: #eee }", "<p>Dark</p><b>Pale   words</b>"))?.text).toBe(
      "Pale words",
    );
  });

  test("is not guessed from images, other files, hidden text, or states", () => {
    for (const source of [
      page("body { background: url(sea.png) }", "<p>Pier</p>"),
      page("body { background: linear-gradient(red, blue) }", "<p>Pier</p>"),
      '<link rel="stylesheet" href="site.css"><p style="color: #eee">Pier</p>',
      page("p { color: color-mix(in srgb, red, var(--none)) }", "<p>Pier</p>"),
      page("p { display: none; color: #eee }", "<p>Pier</p>"),
      '<svg><path d="M0 0h9v9z"/><text fill="#eee">Pier</text></svg>',
    ])
      expect([source, ratioOf(source)]).toEqual([source, null]);
    expect(
      ratioOf(page("a:hover { color: #eee } [lang] { color: #eee } a { color: #000 }", "<a href=/>Pier</a>")),
    ).toBe(21);
  });
});

describe("metadata", () => {
  const of = (text: string, mime: string) => measuresOf(bytesReader(Buffer.from(text)), mime);
  test("of a page is its title, language, alternative texts, and license", () => {
    const whole =
      '<!doctype html><html lang="en"><title>Pier</title><meta name="description" content="A pier"><link rel="license" href="/cc"><img src="a.png" alt=""></html>';
    expect(of(whole, "text/html")).toMatchObject({
      has: expect.arrayContaining(["title", "description", "lang", "license", "alt"]),
      lacks: ["author", "copyright"],
    });
    const bare = of("<p>Pier <img src=a.png>", "text/html");
    expect(bare?.lacks.toSorted()).toEqual(
      ["alt", "author", "copyright", "description", "lang", "license", "title"].toSorted(),
    );
    expect(of("<svg><title>Pier</title></svg>", "image/svg+xml")).toMatchObject({
      has: ["title"],
      lacks: ["description", "lang", "license"],
    });
  });

  test("of an image is its Exif with a position, XMP, and profile", () => {
    const exif = Buffer.alloc(38);
    exif.write("II*\0", "latin1");
    exif.writeUInt32LE(8, 4);
    exif.writeUInt16LE(2, 8);
    for (const [at, tag] of [
      [10, 0x8825],
      [22, 0x8298],
    ] as const) {
      exif.writeUInt16LE(tag, at);
      exif.writeUInt16LE(4, at + 2);
      exif.writeUInt32LE(1, at + 4);
    }
    const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif]);
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body]);
    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), segment, Buffer.from([0xff, 0xda, 0, 2])]);
    const found = measuresOf(bytesReader(jpeg), "image/jpeg");
    expect(found?.has.toSorted()).toEqual(["copyright", "exif", "gps"]);
    expect(found?.lacks).toContain("license");
    expect(found?.contrast).toBeNull();
    expect(measuresOf(bytesReader(Buffer.from("x")), "text/plain")).toBeNull();
  });
});
