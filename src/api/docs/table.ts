/** Renders a Markdown table. Pipes in cells are escaped, even in code. */
export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows]
    .map(
      (cells) =>
        `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, "\\|").replaceAll("\n", " ")).join(" | ")} |`,
    )
    .join("\n");
