/** A text as the desk shows it: its lines, or the table or page that it is the source of. */
import type { Asset } from "../../../library/assets/schema.ts";
import { renderUploadedMarkdown } from "../../docs/markdown.ts";
import { urlWith } from "../../view.ts";
import { type FormattedText, formatJson, formatXml, isDense } from "./formatted-data.ts";
import { type Language, languages } from "./languages.ts";
import { readTable, type TableText } from "./table.ts";
import { formatOf } from "./text-format.ts";

/** A text, as far as it was read. */
export interface ReadText {
  text: string;
  /** Whether the file has more. */
  isCut: boolean;
}

/** What the lines of a text are the source of. */
type Rendering =
  | { form: "table"; table: TableText }
  | { form: "page"; html: string }
  | ({ form: "formatted" } & FormattedText);

export interface ShownText extends ReadText {
  /** Null for the lines themselves, which can be marked. */
  rendering: Rendering | null;
  language: Language | null;
  isHtml: boolean;
  /** Between the rendering and the lines; empty for a text that has lines alone. */
  tabs: { label: string; href: string; isShown: boolean }[];
}

/** The values of `mode` that show the source, and what it is the source of. */
export const sourceMode = "source";
const renderedMode = "rendered";

const linesMax = 5_000;
const labels: Record<Rendering["form"], string> = { table: "Table", page: "Page", formatted: "Formatted" };

/** @param isMarked whether lines or words of it are marked: then it opens at its lines */
export function toShownText(url: URL, asset: Asset, read: ReadText, isMarked: boolean): ShownText {
  const { isCut } = read;
  const text = read.text.replaceAll("\r\n", "\n");
  const { form, language } = formatOf(asset, text);
  const rendering = render({ text, isCut }, form, language);
  const mode = url.searchParams.get("mode") ?? (isMarked ? sourceMode : renderedMode);
  const isSource = mode === sourceMode;
  const lines = text.split("\n", linesMax + 1);
  return {
    text: lines.slice(0, linesMax).join("\n"),
    isCut: isCut || lines.length > linesMax,
    rendering: isSource ? null : rendering,
    language,
    isHtml: asset.kind === "html",
    tabs: rendering
      ? [
          { label: labels[rendering.form], href: urlWith(url, { mode: renderedMode }), isShown: !isSource },
          { label: "Source", href: urlWith(url, { mode: sourceMode }), isShown: isSource },
        ]
      : [],
  };
}

function render(
  { text, isCut }: ReadText,
  form: Rendering["form"] | null,
  language: Language | null,
): Rendering | null {
  // The last line of a part may be half of one.
  const whole = isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  if (form === "table") {
    const table = readTable(whole);
    return table && { form, table };
  }
  if (form === "page") return { form, html: renderUploadedMarkdown(whole) };
  if (form === null || isCut || !isDense(text)) return null;
  return { form, ...(language === languages.json ? formatJson(text) : formatXml(text)) };
}
