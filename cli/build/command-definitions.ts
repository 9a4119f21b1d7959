/** Embeds the definitions of all commands as data, so that help loads none of them. */
import type { BunPlugin } from "bun";
import { type Command, commands } from "../commands.ts";
import { packedModule } from "./packed-texts.ts";

/**
 * The module that takes the place of cli/help/definitions.ts: one JSON text a command, parsed when asked for.
 * @param folder where the compressed texts are, until the executable is built
 */
export async function commandDefinitions(folder: string): Promise<BunPlugin> {
  const texts = await Promise.all(
    Object.entries(commands).map(async ([name, [, load]]) => [name, definitionText((await load()).default)]),
  );
  const contents = await packedModule(
    folder,
    "definitions.json",
    JSON.stringify(Object.fromEntries(texts)),
    "const texts = JSON.parse(packed); export const definitionOf = async (name) => JSON.parse(texts[name]);",
  );
  return {
    name: "definitions of commands as data",
    setup(build) {
      build.onLoad({ filter: /cli\/help\/definitions\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}

/** Functions become true: of `run`, help only asks whether it is there. */
const definitionText = (command: Command): string =>
  JSON.stringify(command, (_, value) => (typeof value === "function" ? true : value));
