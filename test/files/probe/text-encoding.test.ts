/** Text and markup in the encodings that files have. */
import { describe, expect, test } from "bun:test";
import { decodeText, guessText, withCharset } from "../../../src/files/probe/text-encoding.ts";
import { utf16, windows1251 } from "../../support/assets/hostile-files.ts";
import * as made from "../../support/assets/media.ts";
import { look } from "../../support/assets/test-probe.ts";

const { bytes } = made;
const latin1 = (text: string) => bytes(text);
/** 名前,金額 and two lines, in Shift-JIS. */
const japanese = Buffer.from("96bc914f2c8be08a7a0a936392862c3130300a97e996d82c3230300a", "hex");
const russian = "Имя;Сумма\nИванов;100\nПетров;200\n";
const http = (charset: string) => `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`;

describe("a file is what its text says, in the encoding that it names or looks like", () => {
  const files: [what: string, file: Uint8Array, type: string, served: string][] = [
    ["a page in Latin-1", latin1("<meta charset=iso-8859-1><p>caf\xe9"), "text/html", "windows-1252"],
    [
      "a page in Windows-1251, by http-equiv",
      windows1251(`<html><head>${http("windows-1251")}<p>Привет`),
      "text/html",
      "windows-1251",
    ],
    ["a page in Shift-JIS", bytes(`<html>${http("Shift_JIS")}<p>`, japanese), "text/html", "shift_jis"],
    ["a page in UTF-16", utf16("<p>日本</p>"), "text/html", "utf-16le"],
    ["a page in UTF-8 with a wrong byte", latin1("<meta charset=utf-8><p>\xff"), "text/html", "utf-8"],
    ["a page that names none", windows1251("<h1>Отчет о работе за неделю</h1>"), "text/html", "windows-1251"],
    [
      "a page that names what is none",
      latin1("<meta charset=x-none><p>caf\xe9"),
      "text/html",
      "windows-1252",
    ],
    [
      "XHTML in Latin-1",
      latin1(`<?xml version="1.0" encoding="latin1"?><html>\xe9`),
      "application/xhtml+xml",
      "",
    ],
    [
      "XHTML in UTF-16 without a mark",
      utf16('<?xml version="1.0"?><html>日本').subarray(2),
      "application/xhtml+xml",
      "",
    ],
    [
      "a page in ISO-2022-JP with a NUL",
      bytes("<meta charset=iso-2022-jp><p>\x1b$@\0\x1b(B"),
      "text/html",
      "iso-2022-jp",
    ],
    [
      "a drawing in Latin-1",
      latin1(`<?xml version="1.0" encoding="latin1"?><svg>\xe9</svg>`),
      "image/svg+xml",
      "",
    ],
    ["a table in Windows-1251", windows1251(russian), "text/plain", "windows-1251"],
    ["a table in Shift-JIS", japanese, "text/plain", "shift_jis"],
    ["a text in Latin-1", latin1("Name;Stra\xdfe\nM\xfcller;Gr\xf6\xdfe\n"), "text/plain", "windows-1252"],
    ["one word in Latin-1", latin1("Gr\xf6\xdfe\n"), "text/plain", "windows-1252"],
    ["a text in UTF-16", utf16("hello"), "text/plain", "utf-16le"],
    ["UTF-16 without a mark", utf16("name;sum\n").subarray(2), "text/plain", "utf-16le"],
    ["UTF-16 of a Mac without a mark", utf16("name;sum\n", true).subarray(2), "text/plain", "utf-16be"],
    ["a mail of Japan", bytes("\x1b$B@5$7$$\x1b(B\n"), "text/plain", "iso-2022-jp"],
    ["a word in Shift-JIS", Buffer.from("834583458361", "hex"), "text/plain", "shift_jis"],
    ["a word in EUC-JP", Buffer.from("a4b3a4f3a4cba4c1a4cf", "hex"), "text/plain", "euc-jp"],
    ["a word in GBK", Buffer.from("c4e3bac3", "hex"), "text/plain", "gb18030"],
    ["a word in Big5", Buffer.from("a741a66e", "hex"), "text/plain", "big5"],
    ["a word in EUC-KR", Buffer.from("bec8b3e7c7cfbcbcbfe4", "hex"), "text/plain", "euc-kr"],
    ["a word in Thai", Buffer.from("cac7d1cab4d5", "hex"), "text/plain", "windows-874"],
    ["two words in Turkish", latin1("\xc7al\xfd\xfema raporu"), "text/plain", "windows-1254"],
    ["a word in Windows-1251", windows1251("Имя;1\n"), "text/plain", "windows-1251"],
    ["a word in Czech", latin1("\x8elu\x9dou\xe8k\xfd\n"), "text/plain", "windows-1250"],
    ["words of an older Mac", latin1("Gr\x9a\xa7e;caf\x8e\n"), "text/plain", "macintosh"],
    [
      "XHTML in Shift-JIS that does not say so",
      bytes('<?xml version="1.0"?><html><p>', japanese, "</p></html>"),
      "application/xhtml+xml",
      "shift_jis",
    ],
    ["prose of a page in UTF-8", bytes(Buffer.from("Größe: <meta charset=latin1>")), "text/plain", "utf-8"],
  ];
  for (const [what, file, type, served] of files)
    test(what, async () => {
      expect((await look(file)).mime).toBe(type);
      expect(await withCharset(type, file, file.length)).toBe(served ? `${type}; charset=${served}` : type);
    });

  test("and is shown so", async () => {
    expect((await guessText(windows1251(russian), true))?.text).toBe(russian);
    expect((await guessText(japanese, true))?.text).toBe("名前,金額\n田中,100\n鈴木,200\n");
    expect(decodeText(latin1("<meta charset=latin1>caf\xe9"), true)?.text).toEndWith("café");
    expect(await guessText(made.png(2, 2), true)).toBeNull();
  });

  test("a style sheet or script that is not UTF-8 has the encoding of its page", async () => {
    for (const type of ["text/css", "text/javascript"]) {
      expect(await withCharset(type, latin1("/* \xe9 */"), 9)).toBe(type);
      expect(await withCharset(type, latin1("/* e */"), 7)).toBe(`${type}; charset=utf-8`);
    }
  });
});

describe("a PDF may begin behind other bytes", () => {
  for (const [what, before] of [
    ["line breaks", "\n\n"],
    ["a mark of UTF-8", "\xef\xbb\xbf"],
    ["the words of a printer", "\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=PDF\r\n"],
    ["a thousand bytes", "x".repeat(1000)],
  ] as const)
    test(what, async () => expect((await look(bytes(before, made.pdf()))).kind).toBe("pdf"));

  test("a text about them is none", async () => {
    expect((await look("A PDF begins with %PDF-1.7.\n")).mime).toBe("text/plain");
  });
});
