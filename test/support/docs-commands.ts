/**
 * The commands of a page of the documentation, run as a reader runs them: one shell, block by block. What
 * stands below a `sh` block as `json` or `text` is what it says; `…` stands for what differs from time to
 * time. Blocks of other languages are not run.
 */
import { expect } from "bun:test";
import { join } from "node:path";
import { programCommand, programEnvironment } from "./harness.ts";

export interface Block {
  language: string;
  text: string;
}

export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));

export interface DocsCommand {
  command: string;
  expected: Block | undefined;
}

/** Every `sh` block with the answer that is stated directly below it. */
export function parseCommands(markdown: string): DocsCommand[] {
  const pieces = markdown.split(/^(```\w+\n[\s\S]*?^```)$/gm);
  return pieces.flatMap((piece, index) => {
    const [block] = blocksOf(piece);
    if (block?.language !== "sh") return [];
    const [next] = pieces[index + 1]?.trim() === "" ? blocksOf(pieces[index + 2] ?? "") : [];
    return [
      { command: block.text, expected: next && ["json", "text"].includes(next.language) ? next : undefined },
    ];
  });
}

/** What such a page takes besides the program. */
export const toolsMissing = ["bash", "curl", "jq"].filter((name) => !Bun.which(name));
if (toolsMissing.length > 0)
  process.stderr.write(
    `the commands of the documentation are not run: there is no ${toolsMissing.join(", ")}\n`,
  );

/** Runs them in one shell, in `folder`. @returns what each of them said, standard error included */
export async function runCommands(
  commands: string[],
  folder: string,
  env: Record<string, string>,
): Promise<string[]> {
  const quoted = programCommand().map((word) => `'${word}'`);
  const script = [
    `svc() { ${quoted.join(" ")} "$@"; }`,
    ...commands.map((command, index) => `exec >said.${index} 2>&1\n${command}`),
    "exec >said.end",
  ].join("\n");
  const shell = Bun.spawn(["bash", "-e", "-c", script], {
    cwd: folder,
    env: programEnvironment({ TZ: "UTC", ...env }),
    stdio: ["ignore", "inherit", "inherit"],
  });
  await shell.exited;
  const said = await Promise.all(
    commands.map((_, index) =>
      Bun.file(join(folder, `said.${index}`))
        .text()
        .catch(() => ""),
    ),
  );
  expect(
    (await Bun.file(join(folder, "said.end")).exists())
      ? ""
      : `the commands stop at: ${said.findLast(Boolean)}`,
  ).toBe("");
  return said;
}

/** Whether this is what was stated. */
export function expectOutput(stated: Block, said: string): void {
  if (stated.language === "text")
    return void expect(said.trimEnd().replaceAll("\r", "")).toMatch(
      new RegExp(`^${patternOf(stated.text.trimEnd())}$`),
    );
  const values = valuesOf(said);
  const wanted = valuesOf(stated.text.replace(/,?\s*^\s*…$/gm, ', "…": 0').replace(/: …/g, ': "…"'));
  expect(values.map((value, index) => normalizeTo(wanted[index], value))).toEqual(wanted);
}

/** One value, or one on each line. */
function valuesOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

/**
 * A line of `…` alone is any number of lines, elsewhere it is anything on its line; columns are as wide as
 * they are.
 */
const patternOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "…" ? "[\\s\\S]*" : line.split("…").map(escaped).join(".*")))
    .join("\n")
    .replaceAll("\n[\\s\\S]*", "(?:\n[\\s\\S]*)?");

const escaped = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/ {2,}/g, " +");

/** The value in the words of the statement wherever it fits them, so that a difference shows what differs. */
function normalizeTo(stated: unknown, value: unknown): unknown {
  if (
    typeof stated === "string" &&
    (stated === "…" ||
      (stated.includes("…") && typeof value === "string" && new RegExp(`^${patternOf(stated)}$`).test(value)))
  )
    return stated;
  if (Array.isArray(stated) && Array.isArray(value))
    return value.map((one, index) => normalizeTo(stated[index], one));
  if (!isObject(stated) || !isObject(value)) return value;
  const open = Object.hasOwn(stated, "…");
  const names = Object.keys(value).filter((name) => !open || Object.hasOwn(stated, name));
  return {
    ...Object.fromEntries(names.map((name) => [name, normalizeTo(stated[name], value[name])])),
    ...(open && { "…": stated["…"] }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
