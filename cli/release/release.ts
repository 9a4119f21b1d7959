/**
 * Makes every package of a release: `bun run release [--platform linux-arm64 …]`. The default platform is
 * this machine, which needs no network. `--collect` writes only what is for all platforms, from the packages
 * of several machines in one folder.
 */
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { description, version } from "../../src/core/version.ts";
import { build, checkedOut } from "../build/build.ts";
import { fail, UsageError } from "../command-errors.ts";
import { hasXz } from "./compression.ts";
import { installerScript } from "./installer.ts";
import { bundleName } from "./mcpb.ts";
import { launcherPackage, npmFileName } from "./npm.ts";
import { ownPlatform, type Platform, platformOf, platforms } from "./platform.ts";
import { hasImage, type Programs, type RegistryNames, writePlatform } from "./platform-packages.ts";
import { releaseFiles, sha256Of, signSums, writeSums } from "./sums.ts";

const root = join(import.meta.dir, "../..");

/** What a package may have at most. */
const packedBytesMax = 48e6;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      platform: { type: "string", multiple: true, default: [ownPlatform] },
      outdir: { type: "string", default: join(root, "dist/release") },
      collect: { type: "boolean", default: false },
      /** An executable that was built before, for one platform. */
      executable: { type: "string" },
      /** Compress fast and badly, to try packages out. */
      draft: { type: "boolean", default: false },
      /** A private Ed25519 key as a PEM file, which signs the sums. */
      key: { type: "string" },
      /** The URL of the folder that will have these files. */
      url: { type: "string", default: "" },
      "npm-name": { type: "string", default: "@svc-project/svc" },
      "mcp-name": { type: "string", default: "io.github.svc-project/svc" },
    },
  });
  const outdir = resolve(values.outdir);
  const names = { npm: values["npm-name"], mcp: values["mcp-name"] };
  const chosen = values.platform.map(platformOf);
  if (!values.collect) {
    await rm(outdir, { recursive: true, force: true });
    await mkdir(outdir, { recursive: true });
    if (!hasXz()) say("xz is not installed: without it, packages are larger.");
    for (const platform of chosen) {
      const work = await mkdtemp(join(tmpdir(), "svc-release-"));
      try {
        const programs = values.executable
          ? { program: values.executable, imageProgram: values.executable }
          : await buildFor(platform, work);
        await writePlatform(outdir, programs, platform, names, {
          isDraft: values.draft,
          mtime: commitTime(),
        });
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    }
  }
  await writeShared(outdir, names, values.url.replace(/\/$/, ""));
  await writeSums(outdir);
  if (values.key) await signSums(outdir, values.key);
  else say("The sums are not signed: --key names a private Ed25519 key.");
  await printSizes(outdir, values.draft);
}

/**
 * Builds the executable of packages, and that of the image: without bytecode in functions, the image is
 * 2.6 MB smaller, and a start of a server, which is what an image runs, takes 30 ms of CPU more.
 */
async function buildFor(platform: Platform, folder: string): Promise<Programs> {
  const { name } = platform;
  const target = name !== ownPlatform && { target: `bun-${name}` as Bun.Build.CompileTarget };
  const commit = checkedOut();
  const program = await build({ outfile: join(folder, "svc"), commit, ...target });
  const imageProgram = hasImage(platform)
    ? await build({ outfile: join(folder, "image/svc"), commit, bytecodeDepth: 0 })
    : program;
  return { program, imageProgram };
}

/** The time of the commit, so that the same source makes the same packages. */
function commitTime(): Date {
  const git = Bun.spawnSync(["git", "-C", root, "log", "-1", "--format=%ct"]);
  const seconds = Number(git.stdout.toString().trim());
  return git.exitCode === 0 && seconds > 0 ? new Date(seconds * 1000) : new Date("2026-01-01T00:00:00Z");
}

async function printSizes(folder: string, isDraft: boolean): Promise<void> {
  const large = [];
  for (const name of await releaseFiles(folder)) {
    const { size } = await stat(join(folder, name));
    process.stdout.write(`${(size / 1e6).toFixed(1).padStart(6)} MB  ${name}\n`);
    if (size > packedBytesMax) large.push(name);
  }
  if (large.length > 0 && !isDraft) say(`Larger than ${packedBytesMax / 1e6} MB: ${large.join(", ")}`);
}

const say = (line: string): unknown => process.stderr.write(`${line}\n`);

if (import.meta.main) await main().catch(fail);

/** What a release has once for all platforms: the launcher for npm, the installer, and the registry entry. */
async function writeShared(folder: string, names: RegistryNames, url: string): Promise<void> {
  const files = await readdir(folder);
  const present = platforms.filter(({ name }) => files.includes(npmFileName(`${names.npm}-${name}`)));
  if (present.length === 0) throw new UsageError(`${folder} has no packages of ${names.npm}.`);
  const platformNames = present.map(({ name }) => name);
  const [name, launcher] = await launcherPackage(names.npm, names.mcp, platformNames);
  await Bun.write(join(folder, name), launcher);
  await Bun.write(join(folder, "install.sh"), await installerScript(folder, present, url));
  const entry = await registryEntry(folder, names, present, url);
  await Bun.write(join(folder, "server.json"), `${JSON.stringify(entry, null, 2)}\n`);
}

/** `server.json` of the MCP registry, schema 2025-12-11. Bundles are named only where their URL is known. */
async function registryEntry(
  folder: string,
  names: RegistryNames,
  present: readonly Platform[],
  url: string,
): Promise<object> {
  const transport = { type: "stdio" };
  const npm = {
    registryType: "npm",
    identifier: names.npm,
    version,
    transport,
    packageArguments: [{ type: "positional", value: "mcp" }],
  };
  const bundles = await Promise.all(
    present.map(async (platform) => ({
      registryType: "mcpb",
      identifier: `${url}/${bundleName(platform)}`,
      fileSha256: sha256Of(await Bun.file(join(folder, bundleName(platform))).bytes()),
      transport,
    })),
  );
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: names.mcp,
    title: "svc",
    description,
    version,
    packages: url ? [npm, ...bundles] : [npm],
  };
}
