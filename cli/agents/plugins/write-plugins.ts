/** `bun run plugins`: writes the files of the plugins. */
import { dirname, join } from "node:path";
import { pluginFiles } from "./plugins.ts";

const root = dirname(dirname(dirname(import.meta.dir)));
for (const [path, text] of pluginFiles()) await Bun.write(join(root, path), text);
