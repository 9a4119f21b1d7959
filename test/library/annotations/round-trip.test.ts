/** Every annotation can be read back from its line by the grammar in the documentation. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { boxOf } from "../../../src/files/probe/marks/box.ts";
import { type Target, type Weight, weights } from "../../../src/files/probe/marks/schema.ts";
import { annotationLine } from "../../../src/library/annotations/text.ts";
import { must, scaled } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";
import { briefOf } from "../../support/memory/brief.ts";
import {
  parseAnnotationLine,
  places,
  type SaidAnnotation,
  words,
} from "../../support/review/annotation-lines.ts";

/** What the line of an annotation has to say: its texts with invisible characters as escapes. */
const saidOf = (n: number, weight: Weight, target: Target | null, body: string): SaidAnnotation => ({
  ...{ n, weight, place: target ? saidPlace(target) : {} },
  body: escapeControls(body).trim(),
});

function saidPlace(target: Target): SaidAnnotation["place"] {
  const { file, viewport, page, t_ms, t_end_ms, frame, fps, lines, css, quote } = target;
  const place = {
    ...{ file: file && escapeControls(file), width: viewport?.w, page, t_ms, t_end_ms, frame, fps },
    ...shapeOf(target),
    lines: lines && (lines.from === lines.to ? [lines.from] : [lines.from, lines.to]),
    ...{ css: css && escapeControls(css), quote: quote && escapeControls(quote.exact) },
  };
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}

function shapeOf(target: Target) {
  const box = boxOf(target);
  if (!box) return {};
  const third = (from: number, size: number) =>
    (from + size / 2 < 10_000 / 3 ? 0 : from + size / 2 > 20_000 / 3 ? 2 : 1) as 0 | 1 | 2;
  const grid = ["upper left", "top", "upper right", "left", "centre", "right", "lower left", "bottom"];
  const word = grid[third(box.y, box.h) * 3 + third(box.x, box.w)] ?? "lower right";
  const span = (from: number, size: number) =>
    (target.shape === "point" ? [from] : [from, from + size]).map((value) => Math.round(value / 100));
  return { word, isPath: target.shape === "path", x: span(box.x, box.w), y: span(box.y, box.h) };
}

test("the line of every annotation says its number, weight, place and words, and nothing else", () => {
  const weight = fc.constantFrom(...weights);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      weight,
      fc.option(places(40)),
      words(200),
      fc.boolean(),
      (n, weight, target, body, isReopened) => {
        const state = { parent_id: null, state: "open", reopened: Number(isReopened), version: 2 } as const;
        const line = annotationLine({ n, weight, target, body, ...state });
        expect([line, parseAnnotationLine(line)]).toEqual([line, saidOf(n, weight, target, body)]);
      },
    ),
    { numRuns: scaled(300, 20_000) },
  );
});

test("what the API stored is read back from the lines of the next brief", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const annotation = fc.record({
    ...{ weight: fc.constantFrom(...weights), target: fc.option(places(8)), body: words(30) },
  });
  const sent = fc
    .sample(annotation, { numRuns: scaled(60, 600), seed: fc.readConfigureGlobal().seed ?? 0 })
    .filter(({ body }) => escapeControls(body).trim() !== "");
  for (let start = 0; start < sent.length; start += 6) {
    const { id } = await library.plant({ title: "Map", issue: 1 + start });
    const expected: SaidAnnotation[] = [];
    for (const { weight, target, body } of sent.slice(start, start + 6)) {
      const json = { weight, body, ...(target && { target }) };
      const { status } = await library.say(`/assets/${id}/annotations`, { json });
      // Names of space or invisible characters alone are refused.
      if (status === 201) expected.push(saidOf(expected.length + 1, weight, target, body));
      else expect(status).toBe(400);
    }
    await library.review(id, { decision: "rejected", note: "See there." });
    const { text } = await briefOf(library.ctx, { issue: 1 + start, max_chars: 20_000 });
    const written = must(text.split(/<data-\w+ by="[^"]*">Map, version 1: /)[1]).split(/<\/data-/)[0];
    const read = must(written)
      .split("\n")
      .slice(1)
      .map((line) => parseAnnotationLine(line));
    expect(read.toSorted((a, b) => must(a).n - must(b).n)).toEqual(expected);
  }
});
