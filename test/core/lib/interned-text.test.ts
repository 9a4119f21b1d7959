/** Names that are decoded once are the same as those that are decoded each time. */
import { expect, test } from "bun:test";
import { internedText } from "../../../src/core/lib/strings/interned-text.ts";

const names = [
  "",
  "a",
  "é",
  "model",
  "modem",
  "\ufffd",
  "\u0000",
  "svc.project",
  "x".repeat(64),
  "x".repeat(65),
];

test("is the text that the bytes decode to, also where another name took its place", () => {
  const others = Array.from({ length: 3_000 }, (_, index) => `key.${index}.name`);
  for (const name of [...names, ...names, ...others, ...names, ...others]) {
    const bytes = Buffer.from(`<${name}>`);
    expect(internedText(bytes, 1, bytes.length - 1)).toBe(name);
  }
});

test("is that of bytes that are not UTF-8", () => {
  for (const list of [[0xff], [0x61, 0xff], [0xc3], [0xe2, 0x82], [0x7f, 0x80]]) {
    const bytes = Buffer.from(list);
    for (let time = 0; time < 2; time++) expect(internedText(bytes, 0, bytes.length)).toBe(bytes.toString());
  }
});
