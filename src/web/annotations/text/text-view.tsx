/** A text with numbered lines, of which some can be quoted. */
import type { Annotation } from "../../../library/annotations/schema.ts";
import type { ShownPins } from "../pins.tsx";
import { type LinePart, type ShownLines, type TextLine, textLines, wholeText } from "./text-lines.ts";

interface TextProps extends ShownLines {
  pins: ShownPins;
}

interface TextViewProps extends TextProps {
  label: string;
  /** Whether its lines are those of the file. */
  canMark: boolean;
}

export const TextView = ({ label, pins, canMark, ...text }: TextViewProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  <section class="viewer text-view" tabIndex={0} aria-label={label} data-lines={canMark ? "" : undefined}>
    <TextTable lines={textLines(text, pins.annotations)} pins={pins} />
  </section>
);

/** The lines that one annotation is on, for a script that replaces them. */
export function LinesOf({ pins, n, ...text }: TextProps & { n: number }) {
  const isMeant = (annotation: Annotation | undefined) => annotation?.n === n;
  const all = { ...text, part: wholeText };
  const lines = textLines(all, pins.annotations).filter(
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

function Part({ pieces, annotation }: LinePart) {
  const shown = pieces.map(({ text, token }) =>
    token ? <span class={`token-${token}`}>{text}</span> : text,
  );
  if (!annotation) return <>{shown}</>;
  return (
    <mark class={`mark ${annotation.weight} ${annotation.state}`} data-n={annotation.n}>
      {shown}
    </mark>
  );
}

const LinePin = ({ annotation: { n, weight }, href }: { annotation: Annotation; href: string }) => (
  <a class={`line-pin mark ${weight}`} href={href} data-n={n}>
    <span class="visually-hidden">Annotation </span>
    {n}
  </a>
);
