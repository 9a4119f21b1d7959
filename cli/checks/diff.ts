/** Reads the added lines of a unified diff, as `git diff` writes it. */

export interface AddedLine {
  line: number;
  text: string;
}

/** A file that a change leaves behind, and what it adds. */
export interface ChangedFile {
  path: string;
  added: AddedLine[];
}

/** The changed files; those that the diff deletes, and binary ones without lines, are left out. */
export function parseDiff(diff: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  let file: ChangedFile | null = null;
  let line = 0;
  /** Lines of the hunk that are still to come, so that an added `+++ x` is no header. */
  let [old, added] = [0, 0];
  for (const text of diff.split("\n")) {
    if (old > 0 || added > 0) {
      const mark = text[0];
      if (mark === "+") file?.added.push({ line, text: text.slice(1).replace(/\r$/, "") });
      if (mark === "+" || mark === " " || mark === undefined) {
        line++;
        added--;
      }
      if (mark === "-" || mark === " " || mark === undefined) old--;
      continue;
    }
    if (text.startsWith("+++ ")) {
      const path = pathIn(text.slice(4));
      file = path === null ? null : { path, added: [] };
      if (file) files.push(file);
    }
    const [, before = "1", start = "", after = "1"] =
      /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
    if (start !== "") [old, line, added] = [Number(before), Number(start), Number(after)];
  }
  return files;
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\" };

/** Git writes the bytes of what is not ASCII as octal numbers, unless `core.quotePath` is off. */
const unquote = (text: string): string =>
  text.replace(/((?:\\[0-3][0-7]{2})+)|\\(.)/g, (_, octal: string | undefined, char: string) =>
    octal === undefined
      ? (escapes[char] ?? char)
      : Buffer.from(
          octal
            .split("\\")
            .slice(1)
            .map((byte) => Number.parseInt(byte, 8)),
        ).toString(),
  );

/** The path of a header: without `b/`, a time stamp, and the quotes of C. */
function pathIn(header: string): string | null {
  const [plain = ""] = header.replace(/\r$/, "").split("\t");
  const path = plain.startsWith('"') ? unquote(plain.slice(1, -1)) : plain;
  return path === "/dev/null" ? null : path.replace(/^[a-z]\//, "");
}
