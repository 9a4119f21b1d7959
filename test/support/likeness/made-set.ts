/**
 * Rejected attempts as agents make them, the same again in other forms, and what a person would ask to change.
 * The glyphs are no font: patterns of strokes, as dense as small text.
 */
import { type Random, seededRandom } from "../random.ts";
import { type Box, type Color, drawBoxes } from "./drawing.ts";

interface Part {
  name: string;
  boxes: Box[];
}

export interface Attempt {
  width: number;
  height: number;
  parts: Part[];
}

export const draw = ({ width, height, parts }: Attempt): Uint8Array<ArrayBuffer> =>
  drawBoxes(
    width,
    height,
    parts.flatMap(({ boxes }) => boxes),
  );

const palette: readonly Color[] = [
  [37, 99, 235],
  [22, 163, 74],
  [220, 38, 38],
  [124, 58, 237],
  [15, 118, 110],
];
const inks: readonly Color[] = [
  [17, 24, 39],
  [75, 85, 99],
];

/** Strokes of 2 pixels in a cell of 8 × 12. */
function glyph(code: number, x: number, y: number, ink: Color): Box[] {
  const strokes: Box[] = [
    [x, y, 6, 2, ink],
    [x, y + 5, 6, 2, ink],
    [x, y + 10, 6, 2, ink],
    [x, y, 2, 6, ink],
    [x + 4, y, 2, 6, ink],
    [x, y + 6, 2, 6, ink],
    [x + 4, y + 6, 2, 6, ink],
  ];
  return strokes.filter((_, at) => (code >> at) & 1);
}

function line(name: string, codes: readonly number[], x: number, y: number, ink: Color): Part {
  return { name, boxes: codes.flatMap((code, at) => glyph(code, x + at * 9, y, ink)) };
}

/** A page with a header, a logo, cards with numbers, rows of text, and a button. */
export function makeAttempt(seed: number): Attempt {
  const random = seededRandom(seed);
  const [width, height] = random.pick([
    [960, 600],
    [800, 800],
    [1200, 640],
    [640, 900],
  ]) as [number, number];
  const codes = (count: number) => Array.from({ length: count }, () => random.between(9, 126));
  const main = random.pick(palette);
  const parts: Part[] = [
    {
      name: "ground",
      boxes: [
        [
          0,
          0,
          width,
          height,
          random.pick([
            [246, 247, 249],
            [255, 255, 255],
          ] as const),
        ],
      ],
    },
    { name: "header", boxes: [[0, 0, width, 56, [27, 32, 48]]] },
    {
      name: "logo",
      boxes: [
        [24, 16, 24, 24, main],
        [30, 22, 12, 12, [255, 255, 255]],
      ],
    },
    line("title", codes(12), 64, 22, [255, 255, 255]),
    { name: "button", boxes: [[width - 140, 14, 110, 28, main]] },
    line("button text", codes(8), width - 124, 22, [255, 255, 255]),
  ];
  for (let y = 90; y < height - 40; y += 26)
    for (let x = 32; x < width - 160; x += 260)
      parts.push(line(`text ${x} ${y}`, codes(random.between(8, 22)), x, y, random.pick(inks)));
  return { width, height, parts };
}

export interface Correction {
  attempt: Attempt;
  /** The part that changed. */
  name: string;
}

const textsOf = ({ parts }: Attempt): Part[] => parts.filter(({ name }) => name.startsWith("text"));

const withPart = (attempt: Attempt, name: string, change: (boxes: Box[]) => Box[]): Correction => ({
  name,
  attempt: {
    ...attempt,
    parts: attempt.parts.map((part) => (part.name === name ? { ...part, boxes: change(part.boxes) } : part)),
  },
});

/** Another color of a button, a removed logo, a part that moved, another letter, a removed word, a larger box. */
const corrections: readonly ((attempt: Attempt, random: Random) => Correction)[] = [
  (attempt) =>
    withPart(attempt, "button", (boxes) =>
      boxes.map(([x, y, w, h, [r, g, b]]) => [x, y, w, h, [r * 0.75, g * 0.75, b * 0.8]] as const),
    ),
  (attempt) => withPart(attempt, "logo", () => []),
  (attempt) =>
    withPart(attempt, "logo", (boxes) => boxes.map(([x, y, ...rest]) => [x + 5, y + 3, ...rest] as const)),
  (attempt, random) => {
    const part = random.pick(textsOf(attempt));
    return withPart(attempt, part.name, ([first, ...rest]) => {
      const [x, y, w, h, ink] = first as Box;
      return [[x, y + (h > w ? 0 : 3), w, h, ink] as const, ...rest.slice(1)];
    });
  },
  (attempt, random) => withPart(attempt, random.pick(textsOf(attempt)).name, (boxes) => boxes.slice(0, -8)),
  (attempt) =>
    withPart(attempt, "button", ([box]) => (box ? [[box[0] - 8, ...box.slice(1)] as unknown as Box] : [])),
];

export const correct = (attempt: Attempt, seed: number): Correction => {
  const random = seededRandom(seed + 1_000_000);
  return (corrections[seed % corrections.length] as (typeof corrections)[number])(attempt, random);
};

/** What tools do to an image that is sent again. */
export const forms: readonly { name: string; mime: string; make(png: Uint8Array): Promise<Uint8Array> }[] = [
  ...[92, 75, 60].map((quality) => ({
    name: `JPEG ${quality}`,
    mime: "image/jpeg",
    make: (png: Uint8Array) => new Bun.Image(png).jpeg({ quality }).bytes(),
  })),
  ...[80, 60].map((quality) => ({
    name: `WebP ${quality}`,
    mime: "image/webp",
    make: (png: Uint8Array) => new Bun.Image(png).webp({ quality }).bytes(),
  })),
  ...[0.5, 0.75, 1.5].map((scale) => ({
    name: `scaled by ${scale}`,
    mime: "image/png",
    async make(png: Uint8Array) {
      const { width, height } = await new Bun.Image(png).metadata();
      return new Bun.Image(png)
        .resize(Math.round(width * scale), Math.round(height * scale))
        .png()
        .bytes();
    },
  })),
  {
    name: "scaled, as JPEG",
    mime: "image/jpeg",
    async make(png: Uint8Array) {
      const { width, height } = await new Bun.Image(png).metadata();
      return new Bun.Image(png)
        .resize(Math.round(width * 0.8), Math.round(height * 0.8))
        .jpeg({ quality: 85 })
        .bytes();
    },
  },
];
