/** The decision that a rejection becomes: bounded, in order, never cut silently. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { weights } from "../../../src/files/probe/marks/schema.ts";
import { mustRank, rejectionBytesMax, rejectionText } from "../../../src/library/annotations/at-verdict.ts";
import { rankOf } from "../../../src/library/annotations/rank.ts";
import { scaled } from "../../support/harness.ts";

const asset = "01J9ZC5W8Q4T3M2N1K0H7G6F5D";
const line = (weight: (typeof weights)[number], text: string, reopened = 0) => ({
  rank: rankOf({ weight, reopened }),
  text: `[${weight}] ${text}`,
});

test("the note comes first, then what was reopened, then musts, shoulds and nits in the order given", () => {
  const checklist = { rank: mustRank, text: '[must] checklist "Alt text": missing' };
  const lines = [
    line("nit", "n"),
    line("should", "s"),
    checklist,
    line("must", "m"),
    line("nit", "again", 1),
  ];
  expect(rejectionText("Not yet", lines, asset)).toBe(
    'Not yet\n[nit] again\n[must] checklist "Alt text": missing\n[must] m\n[should] s\n[nit] n',
  );
  expect(rejectionText("Not yet", [], asset)).toBe("Not yet");
});

test("what does not fit is counted, with the call that returns it", () => {
  const lines = Array.from({ length: 1000 }, (_, index) => line("must", `${index} ${"x".repeat(100)}`));
  const text = rejectionText("Not yet", lines, asset);
  const shown = text.split("\n").length - 2;
  expect(text).toEndWith(`\n... and ${1000 - shown} more: svc_asset_get ${asset}`);
  expect(Buffer.byteLength(text)).toBeGreaterThan(rejectionBytesMax - 200);
  const long = rejectionText("é".repeat(2048), lines, asset);
  expect(long).toContain(`… (whole note: svc_asset_get ${asset})\n... and 1000 more: svc_asset_get ${asset}`);
});

test("holds for any note and lines: at most 4,096 bytes, whole lines, and every line shown or counted", () => {
  const words = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 3000 })
    .filter((text) => !text.includes("\n"));
  const lines = fc.array(fc.tuple(fc.constantFrom(...weights), words), { maxLength: 20 });
  fc.assert(
    fc.property(words, lines, (note, given) => {
      if (Buffer.byteLength(note) > rejectionBytesMax) return;
      const all = given.map(([weight, text]) => line(weight, text));
      const text = rejectionText(note, all, asset);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(rejectionBytesMax);
      const [, ...shown] = text.split("\n");
      const rest = /^\.\.\. and (\d+) more: /.exec(shown.at(-1) ?? "")?.[1];
      const whole = rest === undefined ? shown : shown.slice(0, -1);
      const sorted = all.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text);
      expect(whole).toEqual(sorted.slice(0, whole.length));
      expect(whole.length + Number(rest ?? 0)).toBe(all.length);
    }),
    { numRuns: scaled(100, 3000) },
  );
});
