/** Breaks text into lines between words. */

/** Lines of at most `width` columns; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").filter(Boolean)) {
    if (line && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return line ? [...lines, line] : lines;
}

/** Wraps each line of a text, with `indent` before all lines. */
export const wrapIndented = (text: string, width: number, indent: string): string[] =>
  text.split("\n").flatMap((line) => {
    const fits = Bun.stringWidth(line) <= width - indent.length;
    return (fits ? [line] : wrap(line, width - indent.length)).map((part) => indent + part);
  });
