/** JSON and XML that a program wrote on one line, with line breaks and indents for people. */

/** Texts with longer lines, on average, are formatted. */
const denseCharacters = 240;

export const isDense = (text: string): boolean => text.length / text.split("\n").length > denseCharacters;

const indent = (depth: number): string => `\n${"  ".repeat(Math.max(0, Math.min(depth, 40)))}`;

const jsonToken = /"(?:\\.|[^"\\])*"?|[{}[\],:]|[^\s{}[\],:"]+/gy;
const space = /\s*/y;

/** Every token of the text stays as it is: numbers keep their digits, and a broken text is shown as far as it goes. */
export function formatJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  for (let token = next(text, 0); token; token = next(text, token.end)) {
    const { value, end } = token;
    if (value === "}" || value === "]") {
      depth--;
      if (!/[{[]/.test(parts.at(-1) ?? "")) parts.push(indent(depth));
    } else if (/^[{[]/.test(parts.at(-1) ?? "")) parts.push(indent(depth));
    parts.push(value);
    if (value === "{" || value === "[") depth++;
    else if (value === ",") parts.push(indent(depth));
    else if (value === ":") parts.push(" ");
    if (depth === 0 && (value === "}" || value === "]")) parts.push(text.slice(end).trim() ? "\n" : "");
  }
  return parts.join("");
}

function next(text: string, from: number): { value: string; end: number } | null {
  space.lastIndex = from;
  space.exec(text);
  jsonToken.lastIndex = space.lastIndex;
  const value = jsonToken.exec(text)?.[0];
  return value ? { value, end: jsonToken.lastIndex } : null;
}

const [endTag, startTag] = [/<\//g, /<[A-Za-z_][^<>]*(?<!\/)>/g];

/** Breaks lines between two tags that touch: text beside a tag may mean its spaces. */
export function formatXml(text: string): string {
  let depth = 0;
  const lines = text.split(/(?<=>)(?=<)/).map((part) => {
    const line = indent(part.startsWith("</") ? depth - 1 : depth) + part;
    depth += (part.match(startTag)?.length ?? 0) - (part.match(endTag)?.length ?? 0);
    return line;
  });
  return lines.join("").trimStart();
}
