/** What a release has once for all platforms: the launcher for npm, the installer, and the registry entry. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { description, version } from "../../src/core/version.ts";
import { UsageError } from "../command-errors.ts";
import { installerScript } from "./installer.ts";
import { bundleName } from "./mcpb.ts";
import { launcherPackage, npmFileName } from "./npm.ts";
import { type Platform, platforms } from "./platform.ts";
import type { RegistryNames } from "./platform-packages.ts";
import { sha256Of } from "./sums.ts";

export async function writeShared(folder: string, names: RegistryNames, url: string): Promise<void> {
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
