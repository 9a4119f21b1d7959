/**
 * Packs the client as an npm package: `bun cli/client/pack.ts [--outdir dist/client]` writes a `.tgz` that
 * any package manager can install.
 */
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../src/core/version.ts";
import manifest from "./package.json";

const here = import.meta.dir;

/**
 * Builds and packs the client.
 *
 * @returns the path of the `.tgz`
 */
export async function pack(outdir: string): Promise<string> {
  await import("./generate.ts");
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await Bun.build({
    entrypoints: [join(here, "client.ts")],
    outdir,
    target: "browser",
    external: Object.keys(manifest.dependencies),
  });
  emitDeclarations(outdir);
  for (const file of ["api.d.ts", "README.md"]) await copyFile(join(here, file), join(outdir, file));
  const { name, description, license, type, dependencies } = manifest;
  const exports = { ".": { types: "./client.d.ts", default: "./client.js" } };
  await Bun.write(
    join(outdir, "package.json"),
    JSON.stringify({ name, version, description, license, type, exports, dependencies }, null, 2),
  );
  run([process.execPath, "pm", "pack", "--quiet"], outdir);
  return join(outdir, `${name}-${version}.tgz`);
}

/** Writes the type declarations (`client.d.ts`). */
function emitDeclarations(outdir: string): void {
  const flags = [
    "--declaration",
    "--emitDeclarationOnly",
    "--allowImportingTsExtensions",
    "--skipLibCheck",
    "--strict",
    "--ignoreConfig",
  ];
  const names = ["--module", "preserve", "--target", "esnext", "--outDir", outdir];
  run([join(here, "../../node_modules/.bin/tsc"), ...flags, ...names, "client.ts"], here);
}

function run(command: string[], cwd: string): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stdout}${stderr}`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { outdir: { type: "string", default: join(here, "../../dist/client") } },
  });
  process.stdout.write(`${await pack(resolve(values.outdir))}\n`);
}
