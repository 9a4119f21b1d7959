/** The plugin for Codex in a marketplace of its own: its hooks, the MCP server, and the skills. */
import { description, version } from "../../core/version.ts";
import {
  hookEntries,
  hookScript,
  license,
  type PluginFiles,
  siteVariable,
  skillsOf,
  tokenVariable,
} from "./plugin.ts";

/**
 * Codex cuts the middle out of longer context. Its default of 2,500 tokens of 4 bytes is less than a brief in
 * Cyrillic or Japanese. Known since 0.145.0 at the latest.
 */
export const additionalContextLimit = 10_000;

/**
 * The files of the marketplace of a deployment. Without `plugin.json` in the root of the plugin, which would
 * make it an Agent Plugin: Codex loads no hooks of those (0.171.0, openai/codex#39895).
 */
export function codexMarketplace(siteUrl: string): PluginFiles {
  const command = `${siteVariable(siteUrl)}sh "\${PLUGIN_ROOT}/hooks/svc-hook.sh" codex`;
  const plugin: PluginFiles = {
    ".codex-plugin/plugin.json": { name: "svc", version, description, license, author: { name: "svc" } },
    ".mcp.json": {
      mcpServers: { svc: { type: "http", url: `${siteUrl}/mcp`, bearer_token_env_var: tokenVariable } },
    },
    "hooks/hooks.json": {
      hooks: hookEntries("codex", (event) => ({
        hooks: [{ type: "command", command, ...(event === "SessionStart" && { additionalContextLimit }) }],
      })),
    },
    "hooks/svc-hook.sh": hookScript,
    ...skillsOf(siteUrl),
  };
  const files = Object.entries(plugin).map(([path, content]) => [`plugin/${path}`, content] as const);
  return {
    ".agents/plugins/marketplace.json": {
      name: "svc",
      plugins: [{ name: "svc", source: { source: "local", path: "./plugin" }, description }],
    },
    ...Object.fromEntries(files),
  };
}
