/**
 * The plugin of the format Agent Plugins 1.0.0 (agent-plugins.org): `plugin.json`, `mcp.json`, and the
 * skills; hooks are in the folders of clients. The format forbids secrets in `mcp.json` and expands nothing
 * in its headers, so that the client has to add the token.
 */
import { paths } from "../../core/info.ts";
import { description, version } from "../../core/version.ts";
import { agentHooks } from "../../integrations/agent-hooks/hooked-agents.ts";
import { hookEntries, license, type PluginFiles, siteVariable, skillsOf } from "./plugin.ts";

const schemaUrl = (name: string): string => `https://agent-plugins.org/schemas/1.0.0/${name}.schema.json`;

/** The files of the plugin for a deployment. */
export function agentPlugin(siteUrl: string): PluginFiles {
  const script = `${siteUrl}${paths.hookScript}`.replaceAll("'", "%27");
  const report = `${siteVariable(siteUrl)}sh -c "$(curl -fsm1 '${script}')" svc-hook copilot`;
  // A check needs svc, and is no reason to fetch the script before each tool.
  const check = "if command -v svc >/dev/null 2>&1; then svc hook copilot; fi";
  return {
    "plugin.json": {
      $schema: schemaUrl("plugin"),
      name: "svc",
      version,
      description,
      author: { name: "svc", url: siteUrl },
      homepage: `${siteUrl}/docs/connect`,
      license,
    },
    "mcp.json": {
      $schema: schemaUrl("mcp"),
      mcpServers: { svc: { type: "streamable-http", url: `${siteUrl}${paths.mcp}` } },
    },
    "com.github.copilot/hooks/hooks.json": {
      version: 1,
      hooks: Object.fromEntries(
        Object.keys(hookEntries("copilot", () => ({}))).map((event) => [
          event,
          // Copilot CLI denies what it asks about if a hook fails.
          [
            {
              type: "command",
              bash: `${Object.hasOwn(agentHooks.copilot.events, event) ? report : check} || true`,
              timeoutSec: 10,
            },
          ],
        ]),
      ),
    },
    ...skillsOf(siteUrl),
  };
}
