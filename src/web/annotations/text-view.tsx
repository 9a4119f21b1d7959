/** @jsxImportSource preact */
/** A text with numbered lines, of which some can be quoted. */
import type { Annotation } from "../../annotations/schema.ts";
import type { ShownPins } from "./pins.tsx";

/** Longer texts are shown by the browser, in a frame. */
const linesMax = 5_000;

/** @returns the text, or null if it has too many lines to show them one by one */
export const textToShow = (text: string | null): string | null =>
  text !== null && text.split("\n", linesMax + 1).length <= linesMax ? text : null;

interface TextViewProps {
  text: string;
  label: string;
  pins: ShownPins;
}

export function TextView({ text, label, pins }: TextViewProps) {
  const byLine = Map.groupBy(pins.annotations, ({ target }) => target?.lines?.from);
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="viewer text-view" tabIndex={0} aria-label={label} data-lines>
      <table>
        <tbody>
          {lines.map((line, index) => (
            <tr key={index} data-line={index + 1}>
              <td class="number">{index + 1}</td>
              <td class="text">{line}</td>
              <td class="line-pins">
                {byLine.get(index + 1)?.map((annotation) => (
                  <LinePin key={annotation.n} annotation={annotation} href={pins.href(annotation)} />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const LinePin = ({ annotation: { n, weight }, href }: { annotation: Annotation; href: string }) => (
  <a class={`line-pin mark ${weight}`} href={href} data-n={n}>
    <span class="visually-hidden">Annotation </span>
    {n}
  </a>
);
