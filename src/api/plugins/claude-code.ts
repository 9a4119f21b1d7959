/** The plugin for Claude Code: its hooks, the MCP server, and the skills. */

import { description, version } from "../../core/version.ts";
import { asyncHook } from "../../integrations/agent-hooks/hooked-agents.ts";
import {
  hookEntries,
  hookScript,
  license,
  type PluginFiles,
  siteVariable,
  skillsOf,
  tokenText,
  urlText,
} from "./plugin.ts";

const option = (title: string, text: string, isSecret: boolean) => ({
  type: "string",
  title,
  description: text,
  required: true,
  ...(isSecret && { sensitive: true }),
});

/**
 * The files of the plugin.
 * @param siteUrl of the deployment that it is for; null for a plugin that asks for one
 */
export function claudeCodePlugin(siteUrl: string | null): PluginFiles {
  const url = siteUrl ?? `\${user_config.url}`;
  return {
    ".claude-plugin/plugin.json": {
      name: "svc",
      version,
      description,
      license,
      author: { name: "svc" },
      userConfig: {
        ...(siteUrl === null && { url: option("Server", urlText, false) }),
        token: option("Token", tokenText, true),
      },
    },
    ".mcp.json": {
      mcpServers: {
        svc: {
          type: "http",
          url: `${url}/mcp`,
          headers: { Authorization: `Bearer \${user_config.token}` },
        },
      },
    },
    "hooks/hooks.json": {
      description: "Report sessions to svc, and start them with the brief of their task",
      hooks: hookEntries("claude-code", (event) => ({
        hooks: [
          {
            type: "command",
            command: `${siteVariable(siteUrl)}sh "\${CLAUDE_PLUGIN_ROOT}/hooks/svc-hook.sh" claude-code`,
            ...asyncHook(event),
          },
        ],
      })),
    },
    "hooks/svc-hook.sh": hookScript,
    ...skillsOf(siteUrl),
  };
}
