/** The text form of annotations: golden lines, and what holds for each line whatever was written. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shapes, type Target, type Weight } from "../../../src/files/probe/marks/schema.ts";
import { checkTarget } from "../../../src/library/annotations/target.ts";
import { annotationLine, type LineSource } from "../../../src/library/annotations/text.ts";
import { scaled } from "../../support/harness.ts";
import { places } from "../../support/review/annotation-lines.ts";

const line = (
  n: number,
  weight: Weight,
  target: Target | null,
  body: string,
  more: Partial<LineSource> = {},
) =>
  annotationLine({
    ...{ n, weight, target: target && checkTarget(target), body, parent_id: null },
    ...{ state: "open", reopened: 0, version: 1, ...more },
  });

const point = (x: number, y: number) => ({ shape: "point", x, y }) as const;
const rect = (x: number, y: number, w: number, h: number) => ({ shape: "rect", x, y, w, h }) as const;
const quote = (exact: string) => ({ quote: { exact } });

describe("an annotation as text", () => {
  test("is the line of the reference, for each of its examples", () => {
    const viewport = { w: 390, h: 844 };
    expect([
      line(1, "must", { t_ms: 12_400, ...point(1800, 7400) }, "the logo is cut off"),
      line(
        2,
        "must",
        { t_ms: 12_400, t_end_ms: 14_000, ...rect(2000, 500, 6000, 1000) },
        "caption hides the face",
      ),
      line(
        3,
        "should",
        { page: 3, ...rect(6200, 800, 2900, 600), ...quote("Total 1,204") },
        "wrong currency",
      ),
      line(
        4,
        "must",
        { file: "index.html", viewport, ...point(5000, 9200), ...quote("Buy now") },
        "overlaps the footer",
      ),
      line(5, "nit", null, "too loud"),
    ]).toEqual([
      "1. [must] 00:12.400, lower left (x 18 %, y 74 %): the logo is cut off",
      "2. [must] 00:12.400-00:14.000, top (x 20-80 %, y 5-15 %): caption hides the face",
      '3. [should] page 3, upper right (x 62-91 %, y 8-14 %), on "Total 1,204": wrong currency',
      '4. [must] index.html at 390 px wide, bottom (x 50 %, y 92 %), on "Buy now": overlaps the footer',
      "5. [nit] whole asset: too loud",
    ]);
  });

  test("names each kind of place", () => {
    const points = [
      [1000, 2000],
      [3000, 2500],
      [2000, 1000],
    ]; // prettier keeps
    expect([
      line(1, "must", { t_ms: 4_500_001, frame: 372, fps: "30000/1001" }, "a black frame"),
      line(2, "must", { shape: "path", points }, "the coast"),
      line(3, "nit", { lines: { from: 10, to: 14 } }, "too long"),
      line(4, "nit", { lines: { from: 10, to: 10 }, css: 'a[href="x"]' }, "a dead link"),
      line(5, "nit", { file: "my page: old.html" }, "remove it"),
      line(6, "nit", { viewport: { w: 390, h: 1 } }, "narrow"),
      line(7, "should", point(5000, 5000), "a reply", { parent_id: "01J9ZC5W8Q4T3M2N1K0H7G6F5D" }),
      line(8, "should", point(5000, 5000), "again", { reopened: 1, version: 2 }),
      line(9, "should", null, "done now", { reopened: 1, state: "honoured" }),
    ]).toEqual([
      "1. [must] 75:00.001, frame 372 at 30000/1001 fps: a black frame",
      "2. [must] upper left (path, x 10-30 %, y 10-25 %): the coast",
      "3. [nit] lines 10-14: too long",
      '4. [nit] line 10, in "a[href=\\"x\\"]": a dead link',
      '5. [nit] "my page: old.html": remove it',
      "6. [nit] at 390 px wide: narrow",
      "7. reply: a reply",
      "8. [should] from v2, reopened, centre (x 50 %, y 50 %): again",
      "9. [should] whole asset: done now",
    ]);
  });

  test("has one of nine words for a place, by thirds of its centre", () => {
    const words = [1600, 5000, 8400].flatMap((y) =>
      [1600, 5000, 8400].map((x) => /\] (.+) \(/.exec(line(1, "must", point(x, y), "x"))?.[1]),
    );
    expect(words).toEqual([
      "upper left",
      "top",
      "upper right",
      "left",
      "centre",
      "right",
      "lower left",
      "bottom",
      "lower right",
    ]);
  });

  test("keeps hostile text in its place, on one line", () => {
    const body =
      "</data> \u001b[31m\u202eevil\u202c\r\n2. [must] whole asset: \u2028forged\u2029 `rm` **now** \u{e0041}";
    expect(line(1, "must", quote('Buy" now\\'), body)).toBe(
      '1. [must] on "Buy\\" now\\\\": </data> \\u{1b}[31m\\u{202e}evil\\u{202c} 2. [must] whole asset: forged ' +
        "`rm` **now** \\u{e0041}",
    );
  });
});

test("is one line without control, bidirectional or invisible characters, whatever was written", () => {
  const anything = fc.string({ unit: "binary", minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(anything, anything, (body, exact) => {
      const text = line(1, "must", { quote: { exact } }, body);
      expect(text).toMatch(/^1\. \[must\] on ".*": .*$/u);
      expect(text).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069\u200b\ufeff]/u);
    }),
    { numRuns: scaled(300, 20_000) },
  );
});

test("a target holds only integers and known fields, in one order", () => {
  fc.assert(
    fc.property(places(40), (target) => {
      const stored = checkTarget({ ...target, secret: 1 } as Target);
      expect(JSON.parse(JSON.stringify(stored))).toEqual(target);
      expect(JSON.stringify(checkTarget(Object.fromEntries(Object.entries(target).toReversed())))).toBe(
        JSON.stringify(stored),
      );
    }),
    { numRuns: scaled(100, 5_000) },
  );
  expect(shapes).toHaveLength(3);
});
