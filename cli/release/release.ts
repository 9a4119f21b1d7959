/**
 * Makes every package of a release: `bun run release [--platform linux-arm64 …]`. The default platform is
 * this machine, which needs no network. `--collect` writes only what is for all platforms, from the packages
 * of several machines in one folder.
 */
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, checkedOut } from "../build/build.ts";
import { fail } from "../command-errors.ts";
import { writeShared } from "./collect.ts";
import { hasXz } from "./compression.ts";
import { ownPlatform, platformOf } from "./platform.ts";
import { writePlatform } from "./platform-packages.ts";
import { releaseFiles, signSums, writeSums } from "./sums.ts";

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
    if (!hasXz()) say("xz is not installed: without it, packages are a fifth larger.");
    for (const platform of chosen) {
      const work = await mkdtemp(join(tmpdir(), "svc-release-"));
      try {
        const program = values.executable ?? (await buildFor(platform.name, work));
        await writePlatform(outdir, program, platform, names, { isDraft: values.draft, mtime: commitTime() });
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

/** Without bytecode: it would save 30 ms of CPU at each start, and cost 8 MB in each package. */
const buildFor = (name: string, folder: string): Promise<string> =>
  build({
    outfile: join(folder, "svc"),
    commit: checkedOut(),
    hasBytecode: false,
    ...(name !== ownPlatform && { target: `bun-${name}` as Bun.Build.CompileTarget }),
  });

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
