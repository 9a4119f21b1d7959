/**
 * Runs the commands of a documentation page as a reader does: in one shell, block by block. A `json` or
 * `text` block directly below a `sh` block is its expected output, where `…` matches anything. Other blocks
 * are not run.
 */
import { expect } from "bun:test";
import { join } from "node:path";
import { programCommand, programEnvironment } from "../harness.ts";

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

/** Returns every `sh` block with the expected output directly below it. */
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

/** Tools that the commands need and this machine lacks. */
export const toolsMissing = ["bash", "curl", "jq"].filter((name) => !Bun.which(name));
if (toolsMissing.length > 0)
  process.stderr.write(`skipping the commands of the documentation, missing: ${toolsMissing.join(", ")}\n`);

/** Runs the commands in one shell in `folder`. @returns the output of each, standard error included */
export async function runCommands(
  commands: string[],
  folder: string,
  env: Record<string, string>,
): Promise<string[]> {
  const quoted = programCommand().map((word) => `'${word}'`);
  const script = [
    `svc() { ${quoted.join(" ")} "$@"; }`,
    ...commands.map((command, index) => `exec >output.${index} 2>&1\n${command}`),
    "exec >output.end",
  ].join("\n");
  const shell = Bun.spawn(["bash", "-e", "-c", script], {
    cwd: folder,
    env: programEnvironment({ TZ: "UTC", ...env }),
    stdio: ["ignore", "inherit", "inherit"],
  });
  await shell.exited;
  const outputs = await Promise.all(
    commands.map((_, index) =>
      Bun.file(join(folder, `output.${index}`))
        .text()
        .catch(() => ""),
    ),
  );
  expect(
    (await Bun.file(join(folder, "output.end")).exists())
      ? ""
      : `the commands stop at: ${outputs.findLast(Boolean)}`,
  ).toBe("");
  return outputs;
}

/** Expects the output to match the documented one. */
export function expectOutput(stated: Block, text: string): void {
  if (stated.language === "text")
    return void expect(text.trimEnd().replaceAll("\r", "")).toMatch(
      new RegExp(`^${patternOf(stated.text.trimEnd())}$`),
    );
  const values = valuesOf(text);
  const wanted = valuesOf(stated.text.replace(/,?\s*^\s*…$/gm, ', "…": 0').replace(/: …/g, ': "…"'));
  expect(values.map((value, index) => normalizeTo(wanted[index], value))).toEqual(wanted);
}

/** Parses one JSON value, or one per line. */
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
 * A line with only `…` matches any number of lines; elsewhere `…` matches the rest of its line. Column width
 * is ignored.
 */
const patternOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "…" ? "[\\s\\S]*" : line.split("…").map(escaped).join(".*")))
    .join("\n")
    .replaceAll("\n[\\s\\S]*", "(?:\n[\\s\\S]*)?");

const escaped = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/ {2,}/g, " +");

/**
 * Replaces every part of the value that matches with the expected text, so that a diff shows only real
 * differences.
 */
function normalizeTo(stated: unknown, value: unknown): unknown {
  if (
    typeof stated === "string" &&
    (stated === "…" ||
      (stated.includes("…") && typeof value === "string" && new RegExp(`^${patternOf(stated)}$`).test(value)))
  )
    return stated;
  if (Array.isArray(stated) && Array.isArray(value))
    return value.map((item, index) => normalizeTo(stated[index], item));
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
