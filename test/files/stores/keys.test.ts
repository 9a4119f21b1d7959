import { describe, expect, test } from "bun:test";
import {
  assetKey,
  encodeKey,
  isKey,
  isPrefix,
  pendingKey,
  requireKey,
  safeName,
  variantKey,
} from "../../../src/files/stores/keys.ts";
import { ids } from "../../support/stores/store-sources.ts";

const [id] = ids;

describe("a storage key", () => {
  test("is <project>/<id>/<filename>", () => {
    expect(assetKey("atlas", id, "A cat.png")).toBe(`atlas/${id}/A-cat.png`);
    expect(pendingKey(id)).toBe(`_pending/${id}`);
    expect(variantKey(id, "bundle/css/style.css")).toBe(`_variants/${id}/bundle/css/style.css`);
  });

  test.each([
    `atlas/${id}/pages/über uns (1).html`,
    `atlas/${id}/.well-known/a`,
    `atlas/${id}/..a/b..`,
    `a/${id}/${"n".repeat(255)}`,
    `atlas/${id}/${"n/".repeat(431)}n`, // 896 bytes
    `_pending/${id}`,
    `_variants/${id}/thumb.webp`,
    `_probe/${id}`,
  ])("may be %p", (key) => {
    expect(isKey(key)).toBe(true);
    expect(requireKey(key)).toBe(key);
  });

  test.each([
    ["nothing", ""],
    ["no path", `atlas/${id}`],
    ["an empty name", `atlas/${id}/`],
    ["an absolute path", `/atlas/${id}/a.png`],
    ["a way up", `atlas/${id}/../../secret`],
    ["a way up at the end", `atlas/${id}/..`],
    ["a way up at the start", `../${id}/a.png`],
    ["a dot", `atlas/${id}/./a.png`],
    ["two slashes", `atlas/${id}//a.png`],
    ["a slash at the end", `atlas/${id}/a.png/`],
    ["a backslash", `atlas/${id}/..\\a.png`],
    ["an encoded way up", `atlas/${id}/%2e%2e/a.png`],
    ["an encoded slash", `atlas/${id}/..%2fa.png`],
    ["a NUL", `atlas/${id}/a\0.png`],
    ["a line break", `atlas/${id}/a\n.png`],
    ["a change of direction", `atlas/${id}/a\u202egnp.exe`],
    ["half a character", `atlas/${id}/a\ud800.png`],
    ["two spellings of one text", `atlas/${id}/u\u0308.png`],
    ["a project in capitals", `Atlas/${id}/a.png`],
    ["a project", `_other/${id}/a.png`],
    ["the place of temporary files", `_tmp/${id}`],
    ["an id in small letters", `atlas/${id.toLowerCase()}/a.png`],
    ["an id that is too large", `atlas/8${id.slice(1)}/a.png`],
    ["an id that is too short", `atlas/${id.slice(1)}/a.png`],
    ["a pending upload with a name", `_pending/${id}/a.png`],
    ["a variant without a name", `_variants/${id}`],
    ["a name of 256 bytes", `atlas/${id}/${"n".repeat(256)}`],
    ["a name of 128 letters of two bytes", `atlas/${id}/${"ü".repeat(128)}`],
    ["more than 896 bytes", `atlas/${id}/${"n/".repeat(431)}nn`],
    ["an address", `https://example.com/${id}/a.png`],
    ["a line break at the end", `atlas/${id}/a.png\n`],
  ])("is refused for %s", (_, key) => {
    expect(isKey(key)).toBe(false);
    expect(() => requireKey(key)).toThrow(expect.objectContaining({ status: 400 }));
  });

  test("is written into an address without a character that means something there", () => {
    expect(encodeKey(`atlas/${id}/a b#c&d'(1)+ü.png`)).toBe(
      `atlas/${id}/a%20b%23c%26d%27%281%29%2B%C3%BC.png`,
    );
  });

  test.each([
    "",
    "atlas/",
    `atlas/${id}/`,
    `atlas/${id}/css/`,
    "_pending/",
    "_variants/",
    `_variants/${id}/`,
    `_variants/${id}/bundle/`,
  ])("may be listed under %p", (prefix) => expect(isPrefix(prefix)).toBe(true));

  test.each([
    "/",
    "atlas",
    "../",
    "atlas/../",
    `atlas/${id}`,
    `atlas/${id}//`,
    "_tmp/",
    `_pending/${id}/`,
    "a%2f/",
  ])("is not listed under %p", (prefix) => expect(isPrefix(prefix)).toBe(false));
});

describe("a file name", () => {
  test.each([
    ["report.pdf", "report.pdf"],
    ["Ünïcödé résumé.PDF", "Unicode-resume.PDF"],
    ["", "file"],
    [".", "file"],
    ["..", "file"],
    ["...", "file"],
    [" ", "file"],
    ["-rf", "rf"],
    ["--help.sh", "help.sh"],
    [".htaccess", "file.htaccess"],
    ["图片.png", "file.png"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\boot.ini", "boot.ini"],
    ["/etc/shadow", "shadow"],
    ["C:\\Windows\\win.ini", "win.ini"],
    ["a/", "file"],
    ["\uff0e\uff0e\uff0fx.png", "x.png"],
    ["%2e%2e%2fa.png", "2e-2e-2fa.png"],
    ["a\r\nSet-Cookie: b=c.png", "a-Set-Cookie-b-c.png"],
    ['a"; filename="b.exe', "a-filename-b.exe"],
    ["a\0.png", "a.png"],
    ["photo\u202egnp.exe", "photo-gnp.exe"],
    ["\u200b\u2066hidden\u2069.txt", "hidden.txt"],
    ["pаypal.html", "p-ypal.html"],
    ["<script>alert(1)</script>.svg", "script.svg"],
    ["$(reboot).sh", "reboot.sh"],
    ["`id`.sh", "id.sh"],
    ["{{7*7}}.txt", "7-7.txt"],
    ["a;b|c&d.txt", "a-b-c-d.txt"],
    ["\u001b[31mred.txt", "31mred.txt"],
    ["CON", "_CON"],
    ["nul.txt", "_nul.txt"],
    ["com1.tar.gz", "_com1.tar.gz"],
    ["a..b...c.txt", "a.b.c.txt"],
    ["trailing. ", "trailing"],
    ["trailing.", "trailing"],
    ["half \ud83d.png", "half.png"],
    ["__proto__", "__proto__"],
  ])("%p becomes %p", (name, safe) => expect(safeName(name)).toBe(safe));

  test.each([
    ["of 64 KiB", `${"n".repeat(65_536)}.png`],
    ["of 64 KiB of marks", "\u0301".repeat(65_536)],
    ["that unfolds to 18 times its length", "\ufdfa".repeat(4096)],
    ["of separators", "/".repeat(65_536)],
    ["of dots", ".".repeat(65_536)],
    ["of 255 letters that name a device", `con.${"n".repeat(251)}`],
  ])("%s becomes one of 1 to 255 safe characters", (_, name) => {
    expect(safeName(name)).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/);
    expect(isKey(assetKey("atlas", id, name))).toBe(true);
  });

  test("keeps its extension when it is cut", () => {
    expect(safeName(`${"n".repeat(300)}.png`)).toBe(`${"n".repeat(251)}.png`);
  });
});
