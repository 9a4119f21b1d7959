/**
 * Builds the executable: `bun cli/build/build.ts [--outfile dist/svc] [--target bun-linux-arm64 …]`.
 * The default target is this machine.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import { version } from "../../src/core/version.ts";
import { commandDefinitions } from "./command-definitions.ts";
import { diskWorkerProgram } from "./disk-worker-program.ts";
import { hookChunk } from "./hook-chunk.ts";
import { writeLicenses } from "./licenses.ts";
import { packedFiles } from "./packed-files.ts";
import { packedTexts } from "./packed-texts.ts";
import { rarePackages } from "./rare-packages.ts";
import { sectionIndex } from "./section-index.ts";

type Target = Bun.Build.CompileTarget;

const root = join(import.meta.dir, "../..");
const bunBytesMin = 50e6;

/**
 * How many times later code is compiled to machine code: for what a command runs once, that takes longer than
 * to run it, a third of the CPU of `svc brief` (`bun run bench help`). `cli/usual-jit.ts` ends it.
 */
const jitPolicy = 20;

/**
 * Functions inside functions of functions have no bytecode, and are compiled when first called: it makes the
 * executable 6.3 MB smaller, and with `jitPolicy` no command starts slower (`bun run bench help`).
 */
const usualDepth = 1;

export interface Build {
  outfile: string;
  commit: string;
  /** Cross-compile for this platform. */
  target?: Target;
  bytecodeDepth?: number;
}

/**
 * Builds and checks the executable.
 *
 * @returns its path: `outfile`, with the target as a suffix if one is given
 */
export async function build({ target, ...options }: Build): Promise<string> {
  await writeLicenses();
  const path = target
    ? `${options.outfile}${target.replace(/^bun/, "")}${target.includes("windows") ? ".exe" : ""}`
    : options.outfile;
  await mkdir(dirname(path), { recursive: true });
  // The new executable replaces the last one only after it has been checked.
  const workFolder = await mkdtemp(join(dirname(path), ".build-"));
  try {
    const draft = join(workFolder, basename(path));
    await compile({ ...options, outfile: draft, ...(target && { target }) });
    if (target) await requireSize(draft);
    else requireStart(draft, options.commit);
    await rename(draft, path);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
  return path;
}

async function compile({ outfile, commit, target, bytecodeDepth = usualDepth }: Build): Promise<void> {
  // Keep identifiers: Elysia reads the source of handlers, and gives none the server whose names are shorter.
  const minify = { whitespace: true, syntax: true, identifiers: false };
  const packages = join(dirname(outfile), "packages");
  await Bun.build({
    entrypoints: [join(root, "cli/main.ts")],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false, jitPolicy, ...(target && { target }) },
    bytecode: true,
    bytecodeDepth,
    format: "esm",
    splitting: true,
    minify,
    plugins: [
      await hookChunk({ minify }),
      await diskWorkerProgram({ minify }),
      await commandDefinitions(packages),
      await sectionIndex(packages),
      oneCopy,
      withoutAjv,
      packedFiles,
      await packedTexts(packages),
      await rarePackages(packages),
    ],
    define: { SVC_COMMIT: JSON.stringify(commit) },
  });
  await chmod(outfile, 0o755);
}

/** Resolves what is both imported and required to one file: the bundler would embed it in both of its formats. */
const oneCopy: BunPlugin = {
  name: "one copy of a package",
  setup(build) {
    const path = Bun.resolveSync("re2js", import.meta.dir);
    build.onResolve({ filter: /^re2js$/ }, () => ({ path }));
  },
};

const noAjv = `
  export { default as process } from "node:process";
  export class DefaultJsonSchemaValidator {
    getValidator() {
      throw new Error("This executable has no validator of forms, see cli/build/build.ts");
    }
  }`;

/** Leaves Ajv out of the MCP library, 0.9 MB: it checks answers to forms, and svc sends clients no forms. */
const withoutAjv: BunPlugin = {
  name: "MCP without Ajv",
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/ }, () => ({
      contents: noAjv,
      loader: "js",
    }));
  },
};

/** Checks that the executable starts: the bundler can succeed and produce one that does not. */
function requireStart(executable: string, commit: string): void {
  const { stdout, stderr, exitCode } = Bun.spawnSync([executable, "--version"], { env: {} });
  const output = stdout.toString().trim();
  if (exitCode !== 0 || output !== `${version} (${commit})`)
    throw new Error(
      `The executable does not start: ${output || stderr.toString().trim() || `exit ${exitCode}`}`,
    );
}

/** Checks a cross-compiled executable, which cannot run here, by its size: it contains Bun. */
async function requireSize(executable: string): Promise<void> {
  const { size } = await stat(executable);
  if (size < bunBytesMin) throw new Error(`The executable has only ${size} bytes, less than Bun itself.`);
}

/** Returns the commit that is checked out, with `-dirty` if files differ; `dev` outside a Git checkout. */
export function checkedOut(): string {
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
    const path = await build({ outfile: resolve(values.outfile), commit, ...(target && { target }) });
    const { size } = await stat(path);
    process.stdout.write(`${path}  ${(size / 1e6).toFixed(1)} MB  svc ${version} (${commit})\n`);
  }
}
