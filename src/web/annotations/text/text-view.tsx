/** @jsxImportSource preact */
/** A text with numbered lines, of which some can be quoted. */
import type { Annotation } from "../../../library/annotations/schema.ts";
import type { ShownPins } from "../pins.tsx";
import { type LinePart, type TextLine, textLines } from "./text-lines.ts";

/** Longer texts are shown by the browser, in a frame. */
const linesMax = 5_000;

/** @returns the text, or null if it has too many lines to show them one by one */
export const textToShow = (text: string | null): string | null =>
  text !== null && text.split("\n", linesMax + 1).length <= linesMax ? text : null;

interface TextProps {
  text: string;
  isHtml: boolean;
  pins: ShownPins;
}

export const TextView = ({ text, isHtml, label, pins }: TextProps & { label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  <section class="viewer text-view" tabIndex={0} aria-label={label} data-lines>
    <TextTable lines={textLines(text, pins.annotations, isHtml)} pins={pins} />
  </section>
);

/** The lines that one annotation is on, for a script that replaces them. */
export function LinesOf({ text, isHtml, pins, n }: TextProps & { n: number }) {
  const isMeant = (annotation: Annotation | undefined) => annotation?.n === n;
  const lines = textLines(text, pins.annotations, isHtml).filter(
    (line) => line.pins.some(isMeant) || line.parts.some(({ annotation }) => isMeant(annotation)),
  );
  return <TextTable lines={lines} pins={pins} />;
}

const TextTable = ({ lines, pins }: { lines: TextLine[]; pins: ShownPins }) => (
  <table>
    <tbody>
      {lines.map((line) => (
        <tr key={line.number} data-line={line.number}>
          <td class="number">{line.number}</td>
          <td class="text">
            {line.parts.map((part, index) => (
              <Part key={index} {...part} />
            ))}
          </td>
          <td class="line-pins">
            {line.pins.map((annotation) => (
              <LinePin key={annotation.n} annotation={annotation} href={pins.href(annotation)} />
            ))}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Part = ({ text, annotation }: LinePart) =>
  annotation ? (
    <mark class={`mark ${annotation.weight} ${annotation.state}`} data-n={annotation.n}>
      {text}
    </mark>
  ) : (
    text
  );

const LinePin = ({ annotation: { n, weight }, href }: { annotation: Annotation; href: string }) => (
  <a class={`line-pin mark ${weight}`} href={href} data-n={n}>
    <span class="visually-hidden">Annotation </span>
    {n}
  </a>
);
