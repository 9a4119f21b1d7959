/** `svc guidance`: take what a vendor says of its model. */
import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { defineCommand } from "citty";
import { checkInput } from "../src/lib/validate.ts";
import { refreshGuidance } from "../src/models/onboard.ts";
import { GuidanceRefresh } from "../src/models/schema.ts";
import type { SourceFile } from "../src/models/sections.ts";
import { byFlag, CommandError, dataDirFlag, run, userOf } from "./command.ts";
import { actAs, actOfUser } from "./open.ts";

const fileBytesMax = 2 ** 20;
const filesMax = 500;

const add = defineCommand({
  meta: { name: "add", description: "Take guidance from Markdown; what its source said before is replaced" },
  args: {
    model: { type: "positional", description: "Id of the model" },
    place: { type: "positional", required: true, description: "A Markdown file, or a folder of them" },
    source: { type: "string", required: true, description: "Its official address, https://…" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const refresh = checkInput(
      GuidanceRefresh,
      new Map(Object.entries({ model: args.model, source: args.source })),
    ) as GuidanceRefresh;
    const files = await readFiles(args.place);
    const user = userOf(args.by);
    const act = actOfUser(user, "guidance add", refresh.model);
    const count = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, (ctx) =>
      refreshGuidance(ctx, refresh, files, user),
    );
    process.stderr.write(`${refresh.model} has ${count} sections from ${refresh.source}.\n`);
  }),
});

/** One file, or all Markdown below a folder, by name. */
async function readFiles(place: string): Promise<SourceFile[]> {
  const found = await lstat(place).catch(() => null);
  if (!found) throw new CommandError(`there is no file or folder ${place}`);
  if (!found.isDirectory()) return [await readFile(place, basename(place))];
  const names = await Array.fromAsync(
    new Bun.Glob("**/*.{md,mdx,markdown}").scan({ cwd: place, dot: false }),
  );
  if (names.length === 0) throw new CommandError(`there is no Markdown in ${place}`);
  if (names.length > filesMax)
    throw new CommandError(`${place} has ${names.length} files, at most ${filesMax} are taken`);
  return Promise.all(names.sort().map((name) => readFile(join(place, name), name)));
}

async function readFile(path: string, name: string): Promise<SourceFile> {
  const file = Bun.file(path);
  if (file.size > fileBytesMax) throw new CommandError(`${path} has more than ${fileBytesMax} bytes`);
  try {
    return { file: name, text: new TextDecoder("utf-8", { fatal: true }).decode(await file.bytes()) };
  } catch {
    throw new CommandError(`${path} is not text in UTF-8`);
  }
}

export default defineCommand({
  subCommands: { add },
});
