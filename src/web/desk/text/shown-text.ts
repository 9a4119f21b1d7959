/** A text as the desk shows it: its lines, or the table or page that it is the source of. */
import type { Asset } from "../../../library/assets/schema.ts";
import { renderUploadedMarkdown } from "../../docs/markdown.ts";
import { urlWith } from "../../view.ts";
import { type FormattedText, formatData, isDense } from "./formatted-data.ts";
import type { Language } from "./languages.ts";
import { readTable, type TableText } from "./table.ts";
import { formatOf } from "./text-format.ts";
import { lineParameter, linkDefinitions, markdownStarts, partOf, type TextPart } from "./text-parts.ts";

/** A text, as far as it was read. */
export interface ReadText {
  text: string;
  /** Whether the file has more. */
  isCut: boolean;
}

/** What the lines of a text are the source of. */
type Rendering =
  | { form: "table"; table: TableText }
  | { form: "page"; html: string; part: TextPart }
  | ({ form: "formatted"; part: TextPart } & FormattedText);

export interface ShownText extends ReadText {
  /** Null for the lines themselves, which can be marked. */
  rendering: Rendering | null;
  /** The lines that are shown: of the text or, where it is a page or formatted, of that. */
  part: TextPart;
  language: Language | null;
  isHtml: boolean;
  /** Between the rendering and the lines; empty for a text that has lines alone. */
  tabs: { label: string; href: string; isShown: boolean }[];
}

/** The values of `mode` that show the source, and what it is the source of. */
export const sourceMode = "source";
const renderedMode = "rendered";

const linesMax = 50_000;
const labels: Record<Rendering["form"], string> = { table: "Table", page: "Page", formatted: "Formatted" };

/** @param isMarked whether lines or words of it are marked: then it opens at its lines */
export function toShownText(url: URL, asset: Asset, read: ReadText, isMarked: boolean): ShownText {
  const { isCut } = read;
  const text = read.text.replaceAll("\r\n", "\n");
  const { form, language } = formatOf(asset, text);
  const rendering = render(url, { text, isCut }, form, language);
  const mode = url.searchParams.get("mode") ?? (isMarked ? sourceMode : renderedMode);
  const isSource = mode === sourceMode;
  const hrefOf = (mode: string) => urlWith(url, { mode, [lineParameter]: null });
  const lines = text.replace(/\n$/, "").split("\n", linesMax + 1);
  const shown = isSource ? null : rendering;
  return {
    text: lines.slice(0, linesMax).join("\n"),
    isCut: isCut || lines.length > linesMax,
    rendering: shown,
    part: shown && shown.form !== "table" ? shown.part : partOf(lines.slice(0, linesMax), url),
    language,
    isHtml: asset.kind === "html",
    tabs: rendering
      ? [
          { label: labels[rendering.form], href: hrefOf(renderedMode), isShown: !isSource },
          { label: "Source", href: hrefOf(sourceMode), isShown: isSource },
        ]
      : [],
  };
}

function render(
  url: URL,
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
  if (form === "page") return { form, ...renderPage(url, whole) };
  if (form === null || isCut || !isDense(text)) return null;
  const formatted = formatData(text, language);
  return { form, ...formatted, part: partOf(formatted.text.split("\n"), url) };
}

function renderPage(url: URL, markdown: string): { html: string; part: TextPart } {
  const lines = markdown.split("\n");
  const part = partOf(lines, url, markdownStarts(lines));
  const isWhole = part.to - part.from + 1 === lines.length;
  const shown = isWhole
    ? markdown
    : `${lines.slice(part.from - 1, part.to).join("\n")}\n\n${linkDefinitions(lines)}`;
  return { html: renderUploadedMarkdown(shown), part };
}
