/** `svc guidance`: adds a vendor's documentation of a model. */
import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { defineCommand } from "citty";
import { GuidanceRefresh } from "../../../src/memory/models/schema.ts";
import type { SourceFile } from "../../../src/memory/models/sections.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, checkFlags } from "../../command.ts";
import { CommandError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";
import { plural } from "../../output/table.ts";

const fileBytesMax = 2 ** 20;
const filesMax = 500;

const add = defineCommand({
  meta: {
    name: "add",
    description: "Add guidance from Markdown, replacing earlier guidance from the same source",
  },
  args: {
    model: { type: "positional", description: "Model ID" },
    path: {
      type: "positional",
      required: true,
      description: "Markdown file, or a folder of Markdown files",
    },
    source: { type: "string", required: true, description: "URL of the original, https://…" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const refresh = checkFlags(GuidanceRefresh, args);
    const files = await readFiles(args.path);
    await withApi(args, async ({ api, place }) => {
      const body = { ...refresh, files, ...byField(args) };
      const { sections } = await unwrap(api.PUT("/guidance", { body }));
      const line =
        `Saved ${plural(sections, "guidance section")} for "${refresh.model}" from ${refresh.source} ` +
        `${place}.`;
      await reportChange(args, { ...refresh, sections }, line);
    });
  },
});

/** Reads one file, or all Markdown files below a folder, sorted by path. */
async function readFiles(path: string): Promise<SourceFile[]> {
  const stats = await lstat(path).catch(() => null);
  if (!stats) throw new CommandError(`File or folder not found: ${path}`);
  if (!stats.isDirectory()) return [await readFile(path, basename(path))];
  const names = await Array.fromAsync(new Bun.Glob("**/*.{md,mdx,markdown}").scan({ cwd: path, dot: false }));
  if (names.length === 0) throw new CommandError(`No Markdown files in ${path}.`);
  if (names.length > filesMax)
    throw new CommandError(`${path} has ${names.length} Markdown files. The maximum is ${filesMax}.`);
  return Promise.all(names.sort().map((name) => readFile(join(path, name), name)));
}

async function readFile(path: string, name: string): Promise<SourceFile> {
  const file = Bun.file(path);
  if (file.size > fileBytesMax) throw new CommandError(`${path} is larger than ${fileBytesMax} bytes.`);
  try {
    return { file: name, text: new TextDecoder("utf-8", { fatal: true }).decode(await file.bytes()) };
  } catch {
    throw new CommandError(`${path} is not UTF-8 text.`);
  }
}

export default defineCommand({
  subCommands: { add },
});
