/** Writes the packages of one platform. */
import { join } from "node:path";
import type { Packing } from "./compression.ts";
import { debName, debPackage } from "./deb.ts";
import { archive } from "./installer.ts";
import { bundle, bundleName } from "./mcpb.ts";
import { packExecutable, platformPackage } from "./npm.ts";
import { imageArchive, imageName } from "./oci.ts";
import { isForDistributions, ownPlatform, type Platform } from "./platform.ts";
import { rpmName, rpmPackage } from "./rpm.ts";

/** Names that the owner of the project has in the registries. */
export interface RegistryNames {
  npm: string;
  mcp: string;
}

/** Paths of the executable that packages have, and of that of the image. */
export interface Programs {
  program: string;
  imageProgram: string;
}

/** An image has the C library of the machine that makes it. */
export const hasImage = (platform: Platform): boolean =>
  isForDistributions(platform) && platform.name === ownPlatform;

export async function writePlatform(
  folder: string,
  { program, imageProgram }: Programs,
  platform: Platform,
  names: RegistryNames,
  packing: Packing & { mtime: Date },
): Promise<void> {
  const write = async (name: string, data: Uint8Array): Promise<void> => {
    await Bun.write(join(folder, name), data);
  };
  const executable = await Bun.file(program).bytes();
  const packed = packExecutable(executable, platform, packing);
  const work = [
    packed.then(async (one) => write(...(await platformPackage(names.npm, platform, one)))),
    packed.then(async (one) => write(bundleName(platform), await bundle(platform, one, packing.mtime))),
    archive(executable, platform, packing).then((one) => write(...one)),
  ];
  if (isForDistributions(platform))
    work.push(
      debPackage(executable, platform, packing).then((data) => write(debName(platform), data)),
      rpmPackage(executable, platform, packing).then((data) => write(rpmName(platform), data)),
    );
  if (hasImage(platform))
    work.push(
      imageArchive(imageProgram, platform, names.mcp, packing).then((data) =>
        write(imageName(platform), data),
      ),
    );
  else
    process.stderr.write(
      `No image for ${platform.name}: it has the C library of the machine that makes it.\n`,
    );
  await Promise.all(work);
}
