/** The one text form of an annotation: a line that agents, decisions, events and the command line share. */
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { type Box, boxOf } from "../../files/probe/marks/box.ts";
import { type Target, unit } from "../../files/probe/marks/schema.ts";
import type { AnnotationRow } from "./rows.ts";

export type LineSource = Pick<
  AnnotationRow,
  "n" | "parent_id" | "weight" | "body" | "target" | "state" | "reopened" | "version"
>;

/**
 * `n. [weight] WHERE: BODY`, or `n. reply: BODY`. Line breaks become spaces; other control, bidirectional and
 * invisible characters become escapes, so the text cannot change anything around it.
 */
export function annotationLine({ n, parent_id, weight, body, ...annotation }: LineSource): string {
  const text = oneLine(body);
  if (parent_id !== null) return `${n}. reply: ${text}`;
  const { target, state, reopened, version } = annotation;
  const history = state === "open" && reopened > 0 ? [`from v${version}`, "reopened"] : [];
  return `${n}. [${weight}] ${[...history, placeText(target)].join(", ")}: ${text}`;
}

/** Whether a line of this text is an annotation that was drawn: `lower left (x 18 %, y 74 %)`. */
export const hasPlaceOnImage = (text: string): boolean =>
  /^\d+\. \[[a-z]+\] [^(\n]*\((?:path, )?x [\d-]+ %, y [\d-]+ %\)/m.test(text);

/** Where it is: `page 3, upper right (x 62-91 %, y 8-14 %)`, `00:12.400`, or `whole asset`. */
export const placeText = (target: Target | null): string =>
  target ? placeTerms(target).join(", ") : "whole asset";

/**
 * The place as people read it beside the file, where its pin shows the rest: `page 3, upper right`, `0:12.4`,
 * or nothing for the whole asset.
 */
export function placeLabel(target: Target | null): string {
  if (!target) return "whole file";
  const { fps: _, frame: __, css: ___, ...known } = target;
  return placeTerms(known).map(withoutCoordinates).join(", ");
}

/** Lines of annotations without their coordinates, which only programs read. */
export const withoutCoordinates = (text: string): string =>
  text.replace(/(\bcentre)?( )?\((?:path, )?x [\d-]+ %, y [\d-]+ %\)/g, (_, middle) =>
    middle ? "center" : "",
  );

const oneLine = (text: string): string =>
  escapeControls(text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ").replaceAll("\t", " ")).trim();

const quoted = (text: string): string => `"${escapeControls(text).replace(/["\\]/g, "\\$&")}"`;

/** A file name that no other term can be mistaken for. */
const plainFile = /^[\p{L}\p{N}_/-]+(\.[\p{L}\p{N}_/-]+)+$/u;

function placeTerms(target: Target): string[] {
  const { file, page, viewport, t_ms, t_end_ms, frame, fps, css, lines, quote } = target;
  const shown = [
    ...(file === undefined ? [] : [plainFile.test(file) ? file : quoted(file)]),
    ...(viewport ? [`at ${viewport.w} px wide`] : []),
  ];
  return [
    ...(shown.length > 0 ? [shown.join(" ")] : []),
    ...(page === undefined ? [] : [`page ${page}`]),
    ...(t_ms === undefined
      ? []
      : [[t_ms, ...(t_end_ms === undefined ? [] : [t_end_ms])].map(clock).join("-")]),
    ...(frame === undefined ? [] : [`frame ${frame} at ${fps} fps`]),
    ...shapeTerms(target),
    ...(lines ? [lines.from === lines.to ? `line ${lines.from}` : `lines ${lines.from}-${lines.to}`] : []),
    ...(css === undefined ? [] : [`in ${quoted(css)}`]),
    ...(quote ? [`on ${quoted(quote.exact)}`] : []),
  ];
}

/** 00:12.400 */
function clock(ms: number): string {
  const padded = (value: number, length: number) => String(value).padStart(length, "0");
  const seconds = padded(Math.floor(ms / 1000) % 60, 2);
  return `${padded(Math.floor(ms / 60_000), 2)}:${seconds}.${padded(ms % 1000, 3)}`;
}

function shapeTerms(target: Target): string[] {
  const box = boxOf(target);
  if (!box) return [];
  const isPoint = target.shape === "point";
  const span = (from: number, size: number) =>
    isPoint ? percent(from) : `${percent(from)}-${percent(from + size)}`;
  const kind = target.shape === "path" ? "path, " : "";
  return [`${placeWord(box)} (${kind}x ${span(box.x, box.w)} %, y ${span(box.y, box.h)} %)`];
}

const percent = (value: number): string => String(Math.round((value * 100) / unit));

const rows = ["upper", "", "lower"] as const;
const columns = ["left", "", "right"] as const;

/** The third of the picture that the center of the box is in, such as `lower left`, `top` or `centre`. */
function placeWord({ x, y, w, h }: Box): string {
  const [row, column] = [rows[third(y, h)], columns[third(x, w)]];
  if (row && column) return `${row} ${column}`;
  return (row && { upper: "top", lower: "bottom" }[row]) || column || "centre";
}

/** 0, 1 or 2. In integers, so that every machine agrees. */
const third = (from: number, size: number): number => {
  const thrice = 3 * (2 * from + size);
  return thrice < 2 * unit ? 0 : thrice > 4 * unit ? 2 : 1;
};
