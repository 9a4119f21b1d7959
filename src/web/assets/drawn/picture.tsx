/** Pictures that svc draws of files without a thumbnail: an SVG with text, in the colors of the page. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { LinePiece } from "../../annotations/text/text-lines.ts";
import tokens from "../../style/tokens.css" with { type: "text" };

const [width, height, margin] = [400, 300, 18];

/** The color of the site that each class has: the style sheet does not reach into a picture. */
const colors: Record<string, string> = {
  ground: "surface",
  sunken: "sunken",
  ink: "ink",
  soft: "ink-soft",
  line: "line",
  accent: "accent",
  comment: "ink-soft",
  string: "good",
  added: "good",
  removed: "bad",
  number: "warn",
  keyword: "info",
  name: "name",
};

/** @param theme the first color of a pair is for light, the second for dark */
const rules = (theme: 1 | 2): string =>
  Object.entries(colors)
    .map(([name, token]) => {
      const pair = new RegExp(`--${token}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens);
      return `.${name}{fill:${pair?.[theme]}}`;
    })
    .join("");
const style =
  "text{font-family:system-ui,sans-serif}.mono{font-family:ui-monospace,Menlo,monospace;white-space:pre}" +
  `${rules(1)}@media(prefers-color-scheme:dark){${rules(2)}}`;

/** The whole picture as SVG. */
export const drawPicture = (children: ComponentChildren): string =>
  renderToString(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      <style>{style}</style>
      <rect class="ground" width={width} height={height} />
      {children}
    </svg>,
  );

/** The first lines of a text, in colors. */
export const CodeLines = ({ lines }: { lines: LinePiece[][] }) => (
  <>
    {lines.slice(0, 18).map((pieces, index) => (
      <text key={index} class="mono ink" x={margin} y={margin + 10 + index * 16} font-size="12">
        {pieces.map(({ text, token }, at) => (
          <tspan key={at} class={token}>
            {text}
          </tspan>
        ))}
      </text>
    ))}
  </>
);

interface TableProps {
  header: string[];
  rows: string[][];
}

const [columnsMax, rowHeight] = [4, 26];

/** The first columns and rows. */
export function TableLines({ header, rows }: TableProps) {
  const columns = header.slice(0, columnsMax);
  const each = (width - margin) / columns.length;
  const cut = (text = "") => shorten(text.replace(/\s+/g, " "), Math.floor((each - 12) / 8));
  return (
    <>
      <rect class="sunken" width={width} height={rowHeight + 4} />
      {[columns, ...rows.slice(0, 10)].map((row, index) => (
        <g key={index}>
          {columns.map((_, column) => (
            <text
              key={column}
              class={index === 0 ? "soft" : "ink"}
              x={margin + column * each}
              y={20 + index * rowHeight}
              font-size="13"
              font-weight={index === 0 ? 600 : 400}
            >
              {cut(row[column])}
            </text>
          ))}
          <rect class="line" y={30 + index * rowHeight} width={width} height="1" />
        </g>
      ))}
    </>
  );
}

export interface PageLine {
  text: string;
  isHeading: boolean;
}

/** The headings and the beginning of the words of a page. */
export function PageLines({ lines }: { lines: PageLine[] }) {
  let y = margin;
  return (
    <>
      {lines
        .flatMap(({ text, isHeading }, index) =>
          wrap(text, isHeading && index === 0 ? 30 : isHeading ? 36 : 52, 3).map((line) => ({
            line,
            isHeading,
            size: isHeading ? (index === 0 ? 21 : 17) : 13,
          })),
        )
        .slice(0, 13)
        .map(({ line, isHeading, size }, index) => {
          y += size + 7;
          return (
            <text
              key={index}
              class={isHeading ? "ink" : "soft"}
              x={margin}
              y={y}
              font-size={size}
              font-weight={isHeading ? 650 : 400}
            >
              {line}
            </text>
          );
        })}
    </>
  );
}

/** Pairs of the lowest and highest sample, from -127 to 127. */
export function WaveLines({ peaks }: { peaks: number[] }) {
  const bars = 74;
  const pairs = peaks.length / 2;
  return (
    <>
      {Array.from({ length: bars }, (_, bar) => {
        const part = peaks.slice(
          2 * Math.floor((bar * pairs) / bars),
          2 * Math.ceil(((bar + 1) * pairs) / bars),
        );
        const half = Math.max(1.5, (Math.max(...part.map(Math.abs), 0) / 127) * 110);
        return (
          <rect
            key={bar}
            class="accent"
            x={margin + bar * 5}
            y={(height - 2 * half) / 2}
            width="3"
            height={2 * half}
            rx="1.5"
          />
        );
      })}
    </>
  );
}

interface FontLinesProps {
  /** The outlines of letters, and the left, top, right, and bottom of them. */
  path: string;
  box: number[];
  name: string;
}

/** Letters of a font as large as the picture allows, with its name. */
export function FontLines({ path, box, name }: FontLinesProps) {
  const [left = 0, top = 0, right = 0, bottom = 0] = box;
  const scale = Math.min(280 / Math.max(1, right - left), 170 / Math.max(1, bottom - top));
  const x = width / 2 - (scale * (left + right)) / 2;
  const y = 125 - (scale * (top + bottom)) / 2;
  return (
    <>
      <path
        class="ink"
        d={path}
        transform={`translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(4)})`}
      />
      <text class="soft" x="200" y="264" font-size="17" text-anchor="middle">
        {shorten(name, 42)}
      </text>
    </>
  );
}

/** A word for the type, and what is known of the file. */
export const TypeLines = ({ type, lines }: { type: string; lines: string[] }) => (
  <>
    <rect class="sunken" width={width} height={height} />
    <text class="accent" x="200" y="138" font-size="54" font-weight="700" text-anchor="middle">
      {shorten(type, 10)}
    </text>
    {lines.slice(0, 4).map((line, index) => (
      <text key={index} class="ink" x="200" y={176 + index * 24} font-size="17" text-anchor="middle">
        {shorten(line, 42)}
      </text>
    ))}
  </>
);

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, Math.max(1, length - 1)).toWellFormed()}…` : text;

/** At most so many lines of at most so many characters. */
function wrap(text: string, length: number, count: number): string[] {
  const lines: string[] = [""];
  for (const word of text.split(/\s+/).slice(0, 60)) {
    const last = lines.at(-1) as string;
    if (last && last.length + word.length + 1 > length) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  const shown = lines.slice(0, count).map((line) => shorten(line, length));
  return lines.length > count ? [...shown.slice(0, -1), `${shown.at(-1)}…`] : shown;
}
