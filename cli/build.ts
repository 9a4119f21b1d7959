/**
 * Makes the executable: `bun cli/build.ts [--outfile dist/svc] [--target bun-linux-arm64 …]`; without a
 * target, for this machine.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../src/version.ts";
import { writeLicenses } from "./bundle-licenses.ts";

type Target = Bun.Build.CompileTarget;

const root = dirname(import.meta.dir);
const bunBytesMin = 50e6;

export interface Build {
  outfile: string;
  commit: string;
  /** Another machine than this one. */
  target?: Target;
}

/** @returns where the executable is: `outfile`, with the target behind it where one is named */
export async function build({ outfile, commit, target }: Build): Promise<string> {
  await writeLicenses();
  const place = target
    ? `${outfile}${target.replace(/^bun/, "")}${target.includes("windows") ? ".exe" : ""}`
    : outfile;
  await mkdir(dirname(place), { recursive: true });
  // A name takes the place of the last build only when the new one is known to run.
  const workplace = await mkdtemp(join(dirname(place), ".build-"));
  try {
    const made = join(workplace, basename(place));
    await compile({ outfile: made, commit, ...(target && { target }) });
    if (target) await requireSize(made);
    else requireStart(made, commit);
    await rename(made, place);
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
  return place;
}

async function compile({ outfile, commit, target }: Build): Promise<void> {
  await Bun.build({
    entrypoints: [join(root, "cli/main.ts")],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false, ...(target && { target }) },
    bytecode: true,
    format: "esm",
    splitting: true,
    // Never identifiers: Elysia looks at names at run time, and without them it lets every input pass.
    minify: { whitespace: true, syntax: true, identifiers: false },
    define: { SVC_COMMIT: JSON.stringify(commit) },
  });
  await chmod(outfile, 0o755);
}

/** The bundler can succeed and leave an executable that does not start. */
function requireStart(executable: string, commit: string): void {
  const { stdout, stderr, exitCode } = Bun.spawnSync([executable, "--version"], { env: {} });
  const said = stdout.toString().trim();
  if (exitCode !== 0 || said !== `${version} (${commit})`)
    throw new Error(`the executable does not run: ${said || stderr.toString().trim() || `exit ${exitCode}`}`);
}

/** One for another machine cannot be tried here, but it holds Bun, which is large. */
async function requireSize(executable: string): Promise<void> {
  const { size } = await stat(executable);
  if (size < bunBytesMin) throw new Error(`the executable has ${size} bytes, fewer than Bun itself`);
}

/** The commit that is checked out, marked where files differ from it; outside of a checkout there is none. */
function checkedOut(): string {
  if (!existsSync(join(root, ".git"))) return "dev";
  const git = Bun.spawnSync([
    "git",
    "-C",
    root,
    "describe",
    "--always",
    "--dirty",
    "--abbrev=12",
    "--exclude=*",
  ]);
  return git.exitCode === 0 ? git.stdout.toString().trim() : "dev";
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      outfile: { type: "string", default: join(root, "dist/svc") },
      target: { type: "string", multiple: true },
    },
  });
  const commit = checkedOut();
  for (const target of (values.target ?? [undefined]) as (Target | undefined)[]) {
    const place = await build({ outfile: resolve(values.outfile), commit, ...(target && { target }) });
    const { size } = await stat(place);
    process.stdout.write(`${place}  ${(size / 1e6).toFixed(1)} MB  svc ${version} (${commit})\n`);
  }
}
