/**
 * The marketplace of Claude Code that a deployment serves, with the plugin for its URL: `claude plugin
 * marketplace add {site}/connect/claude-code/marketplace.json`.
 */
import type { Config } from "../../core/config.ts";
import { paths } from "../../core/info.ts";
import { description, version } from "../../core/version.ts";
import { archiveOf } from "./archive.ts";
import { claudeCodePlugin } from "./claude-code.ts";

/** The archive of the plugin. */
export const pluginArchive = ({ siteUrl }: Pick<Config, "siteUrl">): Promise<Uint8Array<ArrayBuffer>> =>
  archiveOf(claudeCodePlugin(siteUrl));

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
