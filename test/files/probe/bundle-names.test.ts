/** Names and entries of a bundle that are refused. */
import { describe, expect, test } from "bun:test";
import { Problem } from "../../../src/core/problem.ts";
import { safePath, UniqueNames } from "../../../src/files/probe/bundle/names.ts";
import { isKey, variantKey } from "../../../src/files/stores/keys.ts";
import { bytes, type ZipEntry, zip } from "../../support/assets/media.ts";
import { index, refusal } from "../../support/assets/unpacking.ts";

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
    const remaining = new UniqueNames();
    remaining.add("a/b.html", false);
    remaining.add("a/", true);
    remaining.add("a/c.html", false);
    expect(() => remaining.add("A/d.html", false)).toThrow(Problem);
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
