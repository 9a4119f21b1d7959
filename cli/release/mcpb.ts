/** The MCP bundle, which desktop programs install with one click: the launcher, and the packed executable. */
import * as zip from "@zip.js/zip.js/lib/zip-core-external.js";
import { description, version } from "../../src/core/version.ts";
import { launcherText, type PackedExecutable } from "./npm.ts";
import type { Platform } from "./platform.ts";

export const bundleName = ({ name }: Platform): string => `svc-${version}-${name}.mcpb`;

const manifest = ({ os }: Platform) => ({
  manifest_version: "0.3",
  name: "svc",
  display_name: "svc",
  version,
  description,
  author: { name: "The svc maintainers" },
  license: "Apache-2.0",
  server: {
    type: "node",
    entry_point: "server/svc.cjs",
    mcp_config: {
      command: "node",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the host
      args: ["${__dirname}/server/svc.cjs", "mcp", "--data-dir", "${user_config.data_dir}"],
    },
  },
  user_config: {
    data_dir: {
      type: "directory",
      title: "Data folder",
      description:
        "Holds svc.db and the files of assets. Use the folder of a server on this machine to share it.",
      required: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the host
      default: "${HOME}/svc",
    },
  },
  tools_generated: true,
  prompts_generated: true,
  compatibility: { platforms: [os], runtimes: { node: ">=18.18" } },
});

export async function bundle(
  platform: Platform,
  { data, facts }: PackedExecutable,
  mtime: Date,
): Promise<Uint8Array> {
  const options = { level: 0, useWebWorkers: false, extendedTimestamp: false, lastModDate: mtime };
  const archive = new zip.ZipWriter(new zip.Uint8ArrayWriter(), options);
  const text = (value: object) => new zip.TextReader(`${JSON.stringify(value, null, 2)}\n`);
  await archive.add("manifest.json", text(manifest(platform)));
  await archive.add("server/package.json", text({ name: "svc", version }));
  await archive.add("server/svc.cjs", new zip.TextReader(await launcherText()));
  await archive.add(
    "server/executable/package.json",
    text({ name: "executable", version, executable: facts }),
  );
  await archive.add("server/executable/svc.br", new zip.Uint8ArrayReader(data));
  return archive.close();
}
