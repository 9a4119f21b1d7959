/**
 * The scripts of `islands`, read when svc is bundled or started from source: a Bun macro, so that a new
 * file is served without being named anywhere, and the executable holds the text alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Browser scripts by the name that they are served under: the file's own, whatever folder it is in. */
export function islandScripts(): Record<string, string> {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true });
  const folder = join(dirname(fileURLToPath(import.meta.url)), "islands");
  const scripts: Record<string, string> = {};
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
    if (file.endsWith(".ts"))
      scripts[`${basename(file, ".ts")}.js`] = transpiler.transformSync(
        readFileSync(join(folder, file), "utf8"),
      );
  return scripts;
}
