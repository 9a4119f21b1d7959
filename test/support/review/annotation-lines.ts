/** The grammar of annotation lines in docs/review.md, as a parser, and annotations to try it with. */
import fc from "fast-check";
import type { Target, Weight } from "../../../src/files/probe/marks/schema.ts";
import { must } from "../harness.ts";

const whole = (max: number, min = 0) => fc.integer({ min, max });

/** Texts without what requests refuse: control characters and lone surrogates. */
export const words = (max: number) =>
  fc
    .string({ unit: "binary", minLength: 1, maxLength: max })
    .map((text) => text.replace(/\p{Cc}|[\u2028\u2029]|\p{Cs}/gu, "x"));

const shape = fc.oneof(
  fc.record({ shape: fc.constant("point" as const), x: whole(10_000), y: whole(10_000) }),
  fc
    .record({ x: whole(9_999), y: whole(9_999), right: whole(10_000, 1), bottom: whole(10_000, 1) })
    .filter(({ x, y, right, bottom }) => right > x && bottom > y)
    .map(({ x, y, right, bottom }) => ({ shape: "rect" as const, x, y, w: right - x, h: bottom - y })),
  fc.record({
    shape: fc.constant("path" as const),
    points: fc.array(fc.tuple(whole(10_000), whole(10_000)), { minLength: 2, maxLength: 64 }),
  }),
  fc.constant({}),
);

/** Every valid place. @param textMax the most characters of its texts */
export const places = (textMax: number) =>
  fc
    .tuple(
      shape,
      fc.record(
        {
          file: fc.oneof(words(textMax), fc.constantFrom("index.html", "page 3", "a/b.css", "00:01.000")),
          ...{ page: whole(100_000, 1), css: words(textMax) },
          time: fc.record({ t_ms: whole(2 ** 30), length: fc.option(whole(2 ** 30, 1)) }),
          viewport: fc.record({ w: whole(10_000, 1), h: whole(100_000, 1) }),
          lines: fc.record({ from: whole(999, 1), to: fc.oneof(whole(10_000_000, 1000), fc.constant(0)) }),
          quote: fc.record({ exact: words(textMax) }),
          frame: fc.record({ frame: whole(2 ** 31 - 1), fps: fc.constantFrom("25", "30000/1001") }),
        },
        { requiredKeys: [] },
      ),
    )
    .map(
      ([drawn, { time, lines, frame, ...more }]): Target => ({
        ...{ ...drawn, ...more, ...frame },
        ...(time && { t_ms: time.t_ms }),
        ...(time && time.length !== null && { t_end_ms: time.t_ms + time.length }),
        ...(lines && { lines: { from: lines.from, to: lines.to || lines.from } }),
      }),
    )
    .filter((target) => Object.keys(target).length > 0);

/** What a line says of a place. */
export interface SaidPlace {
  file?: string;
  width?: number;
  page?: number;
  t_ms?: number;
  t_end_ms?: number;
  frame?: number;
  fps?: string;
  /** `lower left`, with whole percents: one for a point, from and to for other shapes. */
  word?: string;
  isPath?: boolean;
  x?: number[];
  y?: number[];
  lines?: number[];
  css?: string;
  quote?: string;
}

export interface SaidAnnotation {
  n: number;
  weight: Weight;
  place: SaidPlace;
  body: string;
}

const quoted = String.raw`"((?:[^"\\]|\\["\\])*)"`;
const clock = String.raw`(\d{2,}):(\d{2})\.(\d{3})`;
const span = String.raw`(\d+(?:-\d+)?)`;
const unquote = (text: string): string => text.replace(/\\(["\\])/g, "$1");
const ms = (...[minutes, seconds, rest]: (string | undefined)[]): number =>
  Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(rest);
const range = (text: string | undefined): number[] => must(text).split("-").map(Number);

/** The terms of a place, in their order. Each is matched where the one before it ends. */
const terms: [pattern: string, say: (groups: (string | undefined)[]) => SaidPlace][] = [
  [
    String.raw`(?:([\p{L}\p{N}_/-]+(?:\.[\p{L}\p{N}_/-]+)+)|${quoted})(?: at (\d+) px wide)?`,
    ([plain, text, width]) => ({
      file: plain ?? unquote(must(text)),
      ...(width !== undefined && { width: Number(width) }),
    }),
  ],
  [String.raw`at (\d+) px wide`, ([width]) => ({ width: Number(width) })],
  [String.raw`page (\d+)`, ([page]) => ({ page: Number(page) })],
  [
    `${clock}(?:-${clock})?`,
    ([a, b, c, d, e, f]) => ({
      t_ms: ms(a, b, c),
      ...(d !== undefined && { t_end_ms: ms(d, e, f) }),
    }),
  ],
  [
    String.raw`frame (\d+) at (\d+(?:\/\d+)?) fps`,
    ([frame, fps]) => ({ frame: Number(frame), fps: must(fps) }),
  ],
  [
    String.raw`([a-z]+(?: [a-z]+)?) \((path, )?x ${span} %, y ${span} %\)`,
    ([word, path, x, y]) => ({ word: must(word), isPath: path !== undefined, x: range(x), y: range(y) }),
  ],
  [String.raw`lines? (\d+(?:-\d+)?)`, ([lines]) => ({ lines: range(lines) })],
  [`in ${quoted}`, ([css]) => ({ css: unquote(must(css)) })],
  [`on ${quoted}`, ([quote]) => ({ quote: unquote(must(quote)) })],
];

/** Reads an annotation back from its line. Null for a line that the grammar does not have. */
export function parseAnnotationLine(line: string): SaidAnnotation | null {
  const [head, n, weight] = /^(\d+)\. \[(must|should|nit)\] (?:from v\d+, reopened, )?/u.exec(line) ?? [];
  if (head === undefined) return null;
  const said = { n: Number(n), weight: weight as Weight };
  let rest = line.slice(head.length);
  if (rest.startsWith("whole asset: "))
    return { ...said, place: {}, body: rest.slice("whole asset: ".length) };
  let place: SaidPlace = {};
  for (const [pattern, say] of terms) {
    const [term, ...groups] = new RegExp(`^${pattern}(?=, |: )`, "u").exec(rest) ?? [];
    if (term === undefined) continue;
    place = { ...place, ...say(groups) };
    rest = rest.slice(term.length);
    if (rest.startsWith(": ")) return { ...said, place, body: rest.slice(2) };
    rest = rest.slice(2);
  }
  return null;
}
