/** Names and entries of a bundle that are refused. */
import { describe, expect, test } from "bun:test";
import { Problem } from "../../../src/core/problem.ts";
import { pathOfName, requireSafePath, UniqueNames } from "../../../src/files/probe/bundle/names.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { isKey, variantKey } from "../../../src/files/stores/keys.ts";
import { bytes, html, unicodeName, type ZipEntry, zip } from "../../support/assets/media.ts";
import { look } from "../../support/assets/test-probe.ts";
import { index, Kept, probe, refusal } from "../../support/assets/unpacking.ts";

describe("a name that leads out of the bundle, or is not the same everywhere, is refused (F45)", () => {
  const names: [form: string, name: string | Uint8Array][] = [
    ["the parent", "../evil.html"],
    ["the parent, further down", "a/../../evil.html"],
    ["the parent, at the end", "a/.."],
    ["the root", "/etc/passwd"],
    ["a host", "//host/share"],
    ["the root and the parent", "/../etc/passwd"],
    ["a drive", "C:/evil.html"],
    ["a drive and no slash", "C:evil.html"],
    ["a backslash", "..\\evil.html"],
    ["a host of Windows", "\\\\host\\share"],
    ["a host of Windows and the parent", "\\\\host\\..\\..\\share"],
    ["nothing", ""],
    ["a slash", "/"],
    ["NUL", "a.html\0.png"],
    ["a line break", "a\r\nb.html"],
    ["an escape", "a\x1b[2J.html"],
    ["the parent, behind the folder itself", "./../evil.html"],
    ["an escaped parent", "%2e%2e/evil.html"],
    ["an escaped slash", "..%2fevil.html"],
    ["a dot at the end", "a.html."],
    ["a dot at the end of a folder", "a./b.html"],
    ["nothing but spaces", "a/  /b.html"],
    ["two dots and a space", ".. /evil.html"],
    ["a device", "con"],
    ["a device with an extension", "a/NUL.txt"],
    ["a port", "COM1.html"],
    ["another direction", "a\u202ehtml.exe"],
    ["another direction, isolated", "a\u2067html.exe"],
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
    ["two names but for what cannot be seen", ["a.html", "a\u200b.html"]],
    ["two folders but for a space at the end", ["a/b.html", "a /c.html"]],
    ["two names but for empty parts", ["a/b.html", "a//b.html"]],
    ["a file in a file", ["a", "a/b.html"]],
    ["a folder that is a file", ["a/b.html", "a"]],
    ["two index pages but for their case", ["INDEX.html"]],
  ];
  for (const [form, names] of pairs)
    test(form, async () =>
      expect(await refusal(zip([index, ...names.map((name) => ({ name }))]))).toMatch(
        /duplicate filename|contains a name twice/,
      ),
    );

  test("an accepted name is a valid storage key and portable", () => {
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for (let code = 1; code < 0x3000; code++) {
      const name = `a${String.fromCharCode(code)}b.html`;
      const path = pathOfName(name);
      try {
        requireSafePath(path);
      } catch {
        continue;
      }
      expect([name, isKey(variantKey(id, `bundle/${path}`))]).toEqual([name, true]);
    }
    const remaining = new UniqueNames();
    remaining.add("a/b.html", false);
    remaining.add("a/", true);
    remaining.add("a/c.html", false);
    expect(() => remaining.add("A/d.html", false)).toThrow(Problem);
  });
});

describe("a bundle is read as the programs of the field write it", () => {
  const named = (...names: string[]): ZipEntry[] => names.map((name) => ({ name, data: html }));
  const inUrls = ["100%.png", "a%20b", "a#1", "a?b", '12:30 "x" <y> | *'];
  const cases: [what: string, entries: ZipEntry[], paths: string[]][] = [
    ["folders of Windows", named("a\\index.html", "a\\b\\c.txt"), ["a/index.html", "a/b/c.txt"]],
    [
      "folders of Windows that are entries of their own",
      [{ name: "a\\" }, { name: "a\\b\\" }, ...named("a\\index.html")],
      ["a/index.html"],
    ],
    ["an index page as Word names it", named("index.htm", "a.css"), ["index.htm", "a.css"]],
    ["an index page in capitals", named("Site/INDEX.HTML", "Site/a.css"), ["Site/INDEX.HTML", "Site/a.css"]],
    [
      "names that begin in this folder",
      [{ name: "./" }, ...named("./index.html", "./a/./b.txt")],
      ["index.html", "a/b.txt"],
    ],
    ["code page 437", [index, { name: bytes("caf\x82 \xab.png"), flags: 0 }], ["index.html", "café ½.png"]],
    ["UTF-8 without its flag", [index, { name: "日本.png", flags: 0 }], ["index.html", "日本.png"]],
    [
      "the Unicode field of Info-ZIP",
      [index, { name: "caf_.png", flags: 0, extra: unicodeName("caf_.png", "café ✓.png") }],
      ["index.html", "café ✓.png"],
    ],
    ["the Unicode of macOS", [index, ...named("e\u0301.txt")], ["index.html", "é.txt"]],
    [
      "a screenshot of macOS",
      [index, ...named("3.04.05\u202fPM.png")],
      ["index.html", "3.04.05\u202fPM.png"],
    ],
    [
      "names of older Windows in Japan",
      [index, { name: Buffer.from("89e6919c2f955c2e706e67", "hex"), flags: 0 }],
      ["index.html", "画像/表.png"],
    ],
    [
      "names of older Windows in China",
      [index, { name: Buffer.from("cdbcc6ac2fd7cac1cf2e706e67", "hex"), flags: 0 }],
      ["index.html", "图片/资料.png"],
    ],
    ["empty parts", named("index.html", "a//b.txt", "c\\\\d.txt"), ["index.html", "a/b.txt", "c/d.txt"]],
    [
      "spaces at the ends, and marks that cannot be seen",
      [
        index,
        ...named("My photos /a.txt", " b.txt", "c\u200e.txt", "soft\u00adhyphen\u200b.txt", "\ufeffd.txt"),
      ],
      [
        "index.html",
        "My photos /a.txt",
        " b.txt",
        "c\u200e.txt",
        "soft\u00adhyphen\u200b.txt",
        "\ufeffd.txt",
      ],
    ],
    ["emoji", [index, ...named("👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ ™→.png")], ["index.html", "👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ ™→.png"]],
    ["what means something in a URL", [index, ...named(...inUrls)], ["index.html", ...inUrls]],
    [
      "with what systems leave in folders",
      named(
        ...["site/index.html", "Thumbs.db", "site/desktop.ini", "site/Thumbs.db", "site/.DS_Store"],
        ...["site/._a.txt", "site/Icon\r", "__MACOSX/._site", "__MACOSX/site/._index.html"],
      ),
      ["site/index.html"],
    ],
  ];
  const zip64 = Buffer.from(
    "UEsDBC0ACAAIAAAAIQAAAAAA//////////8KABQAaW5kZXguaHRtbAEAEAAAAAAAAAAAAAAAAAAAAAAAs8kwtMvIBABQSwcI9DUQlAgA" +
      "AAAAAAAABgAAAAAAAABQSwECLQMtAAgACAAAACEA9DUQlAgAAAAGAAAACgAAAAAAAAAAAAAAgAEAAAAAaW5kZXguaHRtbFBLBQYAAAAA" +
      "AQABADgAAABcAAAAAAA=",
    "base64",
  );
  for (const [what, archive, paths] of [
    ...cases.map(([what, entries, paths]) => [what, zip(entries), paths] as const),
    ["a stream of ZIP64, with data descriptors", zip64, ["index.html"]] as const,
    ["bytes behind the end", bytes(zip([index]), "\r\n"), ["index.html"]] as const,
    ["a block of zeros behind the end", bytes(zip([index]), new Uint8Array(4096)), ["index.html"]] as const,
  ])
    test(what, async () => {
      const sink = new Kept();
      await probe.unbundle(bytesSource(archive), sink);
      expect([...sink.files.keys()]).toEqual([...paths]);
      expect((await look(archive)).kind).toBe("html");
    });
});

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
