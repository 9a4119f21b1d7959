/**
 * The marketplace of Claude Code that a deployment serves, with the plugin for its URL: `claude plugin
 * marketplace add {site}/connect/claude-code/marketplace.json`.
 */
import * as zip from "@zip.js/zip.js/lib/zip-core-external.js";
import type { Config } from "../../core/config.ts";
import { paths } from "../../core/info.ts";
import { description, version } from "../../core/version.ts";
import { claudeCodePlugin } from "./claude-code.ts";
import { fileText } from "./plugin.ts";

/** The same files make the same archive: its hash is its version. */
const lastModDate = new Date("2026-01-01T00:00:00Z");

/** The archive of the plugin. */
export async function pluginArchive({ siteUrl }: Pick<Config, "siteUrl">): Promise<Uint8Array<ArrayBuffer>> {
  const options = { level: 0, useWebWorkers: false, extendedTimestamp: false, lastModDate };
  const archive = new zip.ZipWriter(new zip.Uint8ArrayWriter(), options);
  for (const [path, content] of Object.entries(claudeCodePlugin(siteUrl)))
    await archive.add(path, new zip.TextReader(fileText(content)));
  return archive.close();
}

/** The document of the marketplace. Claude Code offers an update when the hash of the archive changes. */
export async function marketplace(config: Pick<Config, "siteUrl">): Promise<object> {
  const sha256 = new Bun.CryptoHasher("sha256").update(await pluginArchive(config)).digest("hex");
  const source = { source: "archive", url: config.siteUrl + paths.pluginArchive, sha256 };
  return {
    name: "svc",
    owner: { name: "svc" },
    metadata: { description },
    plugins: [{ name: "svc", source, description, version: `${version}+${sha256.slice(0, 12)}` }],
  };
}
