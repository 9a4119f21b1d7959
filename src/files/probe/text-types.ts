/** Types of text files, sniffed from the first tag as browsers do. */

import { svgSize } from "./images/svg.ts";
import { type Inspection, typeOf, withoutMetadata } from "./kind.ts";
import { isGltfText, jsonModelType } from "./model/model-types.ts";
import { textForType } from "./text-encoding.ts";

export const svgType = "image/svg+xml";
/** How a PDF begins, and how many bytes viewers look for it. */
export const [pdfHeader, pdfOffsetMax] = ["%PDF-", 1024] as const;

/** Elements that an HTML page or fragment starts with. */
const pageElements = new Set(
  (
    "html head title meta link script style base body main header footer nav section article aside div " +
    "span p a b br h1 h2 h3 ul ol table form img iframe canvas video audio button template font pre center"
  ).split(" "),
);

/** Beginnings of formats that may be all text, which file-type identifies. */
const otherFormats = /^\ufeff*(?:%|GIF|\{\\rtf|WEBVTT|BEGIN:)/;
/** A PDF may begin behind other bytes, see `isPdf`. */
const mayBePdf = (text: string): boolean => text.slice(0, pdfOffsetMax).includes(pdfHeader);

/** Inspects a plain text file; null if identifying the file needs a parser. */
export function inspectText(head: Uint8Array, isWhole: boolean): Inspection | null {
  const text = head.length > 0 ? textForType(head, isWhole) : null;
  if (text === null || otherFormats.test(text) || mayBePdf(text)) return null;
  const { mime, root } = readText(text);
  return { ...withoutMetadata(typeOf(mime)), ...(mime === svgType && svgSize(text.slice(root))) };
}

export const textType = (text: string): string => readText(text).mime;

/** Returns the MIME type and the index of the first element. */
function readText(text: string): { mime: string; root: number } {
  let at = skipSpace(text, 0);
  const result = (mime: string) => ({ mime, root: at });
  if (text[at] !== "<") return result(isGltfText(text.slice(at)) ? jsonModelType : "text/plain");
  const isXml = /\s/.test(text[at + 5] ?? "") && text.startsWith("<?xml", at);
  let hasComment = false;
  for (; text[at] === "<"; at = skipSpace(text, at)) {
    if (text.startsWith("<!--", at)) {
      hasComment = true;
      at = indexAfter(text, "-->", at + 4);
    } else if (text.startsWith("<?", at)) at = indexAfter(text, "?>", at + 2);
    else if (/^<!doctype\s/i.test(text.slice(at, at + 10))) {
      if (/^html\b/i.test(text.slice(skipSpace(text, at + 9))))
        return result(isXml ? "application/xhtml+xml" : "text/html");
      at = indexAfterDoctype(text, at);
    } else break;
  }
  const root = /^<(?:[\w.-]+:)?([a-z][\w.-]*)/i.exec(text.slice(at, at + 128))?.[1]?.toLowerCase();
  if (root === "svg") return result(svgType);
  if (isXml) return result(root === "html" ? "application/xhtml+xml" : "application/xml");
  return result(hasComment || pageElements.has(root ?? "") ? "text/html" : "text/plain");
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r\f\ufeff".includes(text[at] as string)) at++;
  return at;
}

/** Returns the index after the next `mark`, or the end of the text. */
function indexAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

/** Skips a document type, whose internal subset in brackets may contain `>`. */
function indexAfterDoctype(text: string, from: number): number {
  const close = indexAfter(text, ">", from);
  const bracket = text.slice(from, close).indexOf("[");
  return bracket < 0 ? close : indexAfter(text, ">", indexAfter(text, "]", from + bracket));
}
