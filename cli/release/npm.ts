/**
 * The npm packages: one for each platform, with the compressed executable, and the launcher, which has them
 * as optional dependencies. Nothing runs while they are installed.
 */
import { join } from "node:path";
import { packTar, type TarEntry } from "modern-tar";
import { description, version } from "../../src/core/version.ts";
import { brotli, type Packing, withAbsoluteCalls } from "./compression.ts";
import type { Platform } from "./platform.ts";
import { sha256Of } from "./sums.ts";

const root = join(import.meta.dir, "../..");

/** The executable as the launcher unpacks it, with what the launcher needs to know about it. */
export interface PackedExecutable {
  data: Uint8Array;
  facts: { sha256: string; size: number; hasAbsoluteCalls: boolean };
}

export async function packExecutable(
  executable: Uint8Array,
  platform: Platform,
  packing: Packing,
): Promise<PackedExecutable> {
  const hasAbsoluteCalls = platform.cpu === "x64";
  const code = hasAbsoluteCalls ? withAbsoluteCalls(executable) : executable;
  return {
    data: await brotli(code, packing),
    facts: { sha256: sha256Of(executable), size: executable.length, hasAbsoluteCalls },
  };
}

export const launcherText = (): Promise<string> => Bun.file(join(import.meta.dir, "launcher.cjs")).text();

const common = { version, license: "Apache-2.0", publishConfig: { access: "public" } };

/** @returns the file name and the package of one platform */
export async function platformPackage(
  name: string,
  platform: Platform,
  { data, facts }: PackedExecutable,
): Promise<[string, Uint8Array]> {
  const { os, cpu, libc } = platform;
  const manifest = {
    name: `${name}-${platform.name}`,
    ...common,
    description: `The executable of ${name} for ${platform.name}.`,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    executable: facts,
  };
  return pack(manifest, [fileEntry("svc.br", data)]);
}

/** @returns the file name and the package with the command `svc` */
export async function launcherPackage(
  name: string,
  mcpName: string,
  platformNames: readonly string[],
): Promise<[string, Uint8Array]> {
  const manifest = {
    name,
    ...common,
    description,
    mcpName,
    bin: { svc: "svc.cjs" },
    engines: { node: ">=18.18" },
    optionalDependencies: Object.fromEntries(platformNames.map((one) => [`${name}-${one}`, version])),
  };
  const readme = await Bun.file(join(import.meta.dir, "npm-readme.md")).text();
  return pack(manifest, [fileEntry("svc.cjs", await launcherText(), 0o755), fileEntry("README.md", readme)]);
}

/** The version of npm's own file names: `@scope/name` → `scope-name-1.0.0.tgz`. */
export const npmFileName = (name: string): string =>
  `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`;

async function pack(manifest: { name: string }, files: TarEntry[]): Promise<[string, Uint8Array]> {
  const license = await Bun.file(join(root, "LICENSE")).text();
  const entries = [
    fileEntry("package.json", `${JSON.stringify(manifest, null, 2)}\n`),
    fileEntry("LICENSE", license),
    ...files,
  ];
  return [npmFileName(manifest.name), Bun.gzipSync(await packTar(entries), { level: 9 })];
}

/** npm gives every file of a package this time. */
const packedAt = new Date("1985-10-26T08:15:00Z");

const fileEntry = (name: string, body: string | Uint8Array, mode = 0o644): TarEntry => ({
  header: { name: `package/${name}`, size: Buffer.byteLength(body), mode, mtime: packedAt, type: "file" },
  body,
});
