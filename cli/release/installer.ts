/** The installer script, and the archives that it downloads. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { packTar } from "modern-tar";
import { version } from "../../src/core/version.ts";
import { compressForSystem, hasXz, type Packing } from "./compression.ts";
import script from "./install.sh" with { type: "text" };
import type { Platform } from "./platform.ts";
import { sha256Of } from "./sums.ts";
import { tarFile } from "./tar-entries.ts";

/** With gzip, which `tar` reads everywhere, where this machine has no `xz`. */
const archiveName = ({ name }: Platform, format: "xz" | "gz"): string =>
  `svc-${version}-${name}.tar.${format}`;

/** @returns the file name and the archive with the executable and the license */
export async function archive(
  executable: Uint8Array,
  platform: Platform,
  packing: Packing & { mtime: Date },
): Promise<[string, Uint8Array]> {
  const license = await Bun.file(join(import.meta.dir, "../../LICENSE")).bytes();
  const { mtime } = packing;
  const tar = await packTar([tarFile("svc", executable, mtime, 0o755), tarFile("LICENSE", license, mtime)]);
  const data = hasXz()
    ? (await compressForSystem(tar, platform.cpu, packing)).data
    : Bun.gzipSync(tar as Uint8Array<ArrayBuffer>, { level: packing.isDraft ? 1 : 9 });
  return [archiveName(platform, hasXz() ? "xz" : "gz"), data];
}

/**
 * Writes the script for the archives in a folder, whose sums it contains.
 *
 * @param url where they are downloaded from; empty for the folder that the script is in
 */
export async function installerScript(
  folder: string,
  platforms: readonly Platform[],
  url: string,
): Promise<string> {
  const cases = [];
  const names = [];
  for (const platform of platforms) {
    const xz = archiveName(platform, "xz");
    const file = existsSync(join(folder, xz)) ? xz : archiveName(platform, "gz");
    const sum = sha256Of(await Bun.file(join(folder, file)).bytes());
    cases.push(`  ${platform.name}) file=${file} sum=${sum} ;;`);
    names.push(platform.name);
  }
  return (script as unknown as string)
    .replaceAll("{version}", version)
    .replace("{url}", url)
    .replace("{cases}", cases.join("\n"))
    .replace("{names}", names.join(", "));
}
