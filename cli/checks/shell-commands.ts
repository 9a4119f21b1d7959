/**
 * The simple commands of a shell command line, as words: enough of the grammar to tell a command that runs
 * from one that is only mentioned in quotes, in a comment, or in a here-document.
 */

/** Programs that run the command in their arguments. */
const wrappers: ReadonlySet<string> = new Set(
  "sudo env command exec time nohup xargs then do else if while until ! {".split(" "),
);
const shells = /^(?:ba|z|da|k)?sh$/;
const depthMax = 4;

/** The words of each simple command, without assignments and programs that only run another. */
export function simpleCommands(line: string, depth = 0): string[][] {
  const found: string[][] = [];
  for (const words of split(line, (inner) => {
    if (depth < depthMax) found.push(...simpleCommands(inner, depth + 1));
  })) {
    const start = words.findIndex((word, at) => !isPrefix(words, word, at));
    const own = start < 0 ? [] : words.slice(start);
    const [program = "", ...args] = own;
    if (program === "") continue;
    found.push([program.slice(program.lastIndexOf("/") + 1), ...args]);
    const script = shells.test(found.at(-1)?.[0] ?? "")
      ? args[args.findIndex((one) => /^-\w*c$/.test(one)) + 1]
      : null;
    if (script && args.some((one) => /^-\w*c$/.test(one)) && depth < depthMax)
      found.push(...simpleCommands(script, depth + 1));
  }
  return found;
}

/** An assignment, a wrapper, or an option of a wrapper. */
const isPrefix = (words: readonly string[], word: string, at: number): boolean =>
  /^\w+=/.test(word) ||
  wrappers.has(word) ||
  (word.startsWith("-") && words.slice(0, at).some((one) => wrappers.has(one)));

/** @param inside gets what stands in `$(…)` and backticks */
function split(line: string, inside: (command: string) => void): string[][] {
  const commands: string[][] = [[]];
  let word: string | null = null;
  const heredocs: string[] = [];
  const add = (text: string) => {
    word = (word ?? "") + text;
  };
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (commands.at(-1)?.length) commands.push([]);
  };
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (char === "\\") {
      at++;
      if (line[at] !== "\n") add(line[at] ?? "");
    } else if (char === "'") {
      const end = indexOrEnd(line, "'", at + 1);
      add(line.slice(at + 1, end));
      at = end;
    } else if (char === '"') {
      add("");
      for (at++; at < line.length && line[at] !== '"'; at++) {
        if (line[at] === "\\") at++;
        else if (isSubstitution(line, at)) at = substitute(at);
        add(line[at] ?? "");
      }
    } else if (isSubstitution(line, at)) at = substitute(at);
    else if (char === "#" && word === null) at = indexOrEnd(line, "\n", at) - 1;
    else if (line.startsWith("<<", at) && line[at + 2] !== "<") {
      endWord();
      const [all = "", mark = ""] = /^<<-?\s*(['"]?[\w.-]+['"]?)/.exec(line.slice(at, at + 200)) ?? [];
      if (mark) heredocs.push(mark.replace(/['"]/g, ""));
      at += Math.max(1, all.length - 1);
    } else if (char === "\n") {
      endCommand();
      for (const mark of heredocs.splice(0)) at = endOfHeredoc(line, mark, at);
    } else if (";|&()".includes(char)) endCommand();
    else if (/\s/.test(char)) endWord();
    else add(char);
  }
  endCommand();
  return commands.filter((words) => words.length > 0);

  /** Hands over what is substituted. @returns where it ends */
  function substitute(start: number): number {
    const isTick = line[start] === "`";
    const end = isTick ? indexOrEnd(line, "`", start + 1) : closing(line, start + 2);
    inside(line.slice(start + (isTick ? 1 : 2), end));
    add("…");
    return end;
  }
}

const isSubstitution = (line: string, at: number): boolean => line[at] === "`" || line.startsWith("$(", at);

const indexOrEnd = (line: string, text: string, from: number): number => {
  const at = line.indexOf(text, from);
  return at < 0 ? line.length : at;
};

function closing(line: string, start: number): number {
  let open = 1;
  for (let at = start; at < line.length; at++) {
    if (line[at] === "(") open++;
    if (line[at] === ")" && --open === 0) return at;
  }
  return line.length;
}

/** The end of the line that has only the mark. */
function endOfHeredoc(line: string, mark: string, start: number): number {
  for (let at = start; at < line.length; ) {
    const end = indexOrEnd(line, "\n", at + 1);
    if (line.slice(at + 1, end).trim() === mark) return end - 1;
    at = end;
  }
  return line.length;
}
