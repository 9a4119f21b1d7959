/** Shows a text: its lines with what is marked in them, or a table, a page, or indented data. */
import type { ShownPins } from "../../annotations/pins.tsx";
import { TextView } from "../../annotations/text/text-view.tsx";
import { pluralize } from "../../format.ts";
import type { ShownText } from "./shown-text.ts";
import type { TableText } from "./table.ts";
import { countsText, separatedBy, TableView } from "./table-view.tsx";
import type { TextPart } from "./text-parts.ts";

interface TextViewerProps {
  shown: ShownText;
  label: string;
  pins: ShownPins;
}

export const TextViewer = ({ shown, label, pins }: TextViewerProps) => (
  <>
    {shown.tabs.length > 0 && (
      <nav class="tabs" aria-label="View">
        {shown.tabs.map(({ label, href, isShown }) => (
          <a key={label} href={href} data-desk aria-current={isShown ? "true" : undefined}>
            {label}
          </a>
        ))}
      </nav>
    )}
    <Content shown={shown} label={label} pins={pins} />
    {shown.rendering?.form !== "table" && <PartLinks part={shown.part} of="the text" />}
  </>
);

function Content({ shown, label, pins }: TextViewerProps) {
  const { rendering, isCut } = shown;
  if (rendering?.form === "table")
    return (
      <TableView
        label={label}
        header={rendering.table.header}
        rows={rendering.table.rows}
        note={noteOf(rendering.table, isCut)}
      />
    );
  if (rendering?.form === "page")
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      <section class="viewer markdown-view" tabIndex={0} aria-label={label}>
        <div class="doc" dangerouslySetInnerHTML={{ __html: rendering.html }} />
      </section>
    );
  return (
    <>
      <TextView
        {...shown}
        text={rendering?.text ?? shown.text}
        canMark={!rendering}
        label={label}
        pins={rendering ? { ...pins, annotations: [] } : pins}
      />
      {rendering && (
        <p class="soft viewer-note">
          {rendering.isCut && `The first ${pluralize(rendering.text.split("\n").length, "line")}. `}
          Formatted to be read: the file has longer lines.
          {rendering.isCut && " Download it for the rest."}
        </p>
      )}
      {isCut && !rendering && (
        <p class="soft viewer-note">
          The first {pluralize(shown.part.count, "line")} of this file. Download it for the rest.
        </p>
      )}
    </>
  );
}

const numberText = (number: number): string => number.toLocaleString("en-US");

/** Which part of something long this is, with links to the others; nothing if it is all. */
export function PartLinks({ part: { from, to, count, previous, next }, of }: { part: TextPart; of: string }) {
  if (!(previous || next)) return null;
  return (
    <nav class="viewer-note text-parts" aria-label={`Parts of ${of}`}>
      <span class="soft">
        Lines {numberText(from)} to {numberText(to)} of {numberText(count)}
      </span>
      {previous && (
        <a class="button" href={previous} data-desk>
          Lines before
        </a>
      )}
      {next && (
        <a class="button" href={next} data-desk>
          Lines after
        </a>
      )}
    </nav>
  );
}

function noteOf(table: TableText, isCut: boolean): string {
  const { rows, count, header, columns, delimiter, uneven } = table;
  const counts = countsText(
    { shown: rows.length, count, columns, shownColumns: header.length },
    isCut || table.isCut,
  );
  const others = uneven > 0 ? `. ${pluralize(uneven, "row")} with another number of fields` : "";
  return `${counts}, ${separatedBy(delimiter)}${others}.`;
}
