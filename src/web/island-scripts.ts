/**
 * The scripts of `islands`, read when svc is bundled or started from source: a Bun macro, so that a new
 * file is served without being named anywhere, and the executable holds the text alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "islands");

/** What every page loads by itself: a copy of it in a bundle would act twice. */
const ofEveryPage = "../page/*";

/**
 * Browser scripts by the name that they are served under: the file's own, whatever folder it is in. Those in
 * `bundles` hold what they import, apart from the scripts of every page.
 */
export function islandScripts(): Record<string, string> {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true });
  const scripts: Record<string, string> = {};
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!file.endsWith(".ts")) continue;
    scripts[`${basename(file, ".ts")}.js`] = /^bundles[/\\]/.test(file)
      ? bundle(file)
      : transpiler.transformSync(readFileSync(join(folder, file), "utf8"));
  }
  return scripts;
}

/** A process of its own: `Bun.build` in a macro would wait for the bundler that waits for the macro. */
function bundle(file: string): string {
  const { success, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    ...["build", join(folder, file), "--target=browser", "--minify", "--external", ofEveryPage],
  ]);
  if (!success) throw new Error(`cannot bundle ${file}: ${stderr}`);
  return stdout.toString();
}
