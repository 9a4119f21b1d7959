/** The extension for Gemini CLI: its hooks, the MCP server, and the skills. */
import { description, version } from "../../core/version.ts";
import {
  hookEntries,
  hookScript,
  type PluginFiles,
  siteVariable,
  skillsOf,
  tokenText,
  tokenVariable,
  urlText,
  urlVariable,
} from "./plugin.ts";

/**
 * The files of the extension.
 * @param siteUrl of the deployment that it is for; null for an extension that asks for one
 */
export function geminiExtension(siteUrl: string | null): PluginFiles {
  const url = { name: "Server", description: urlText, envVar: urlVariable };
  const token = { name: "Token", description: tokenText, envVar: tokenVariable, sensitive: true };
  const command = `${siteVariable(siteUrl)}sh "\${extensionPath}/hooks/svc-hook.sh" gemini-cli`;
  return {
    "gemini-extension.json": {
      name: "svc",
      version,
      description,
      settings: siteUrl === null ? [url, token] : [token],
      mcpServers: {
        svc: {
          httpUrl: `${siteUrl ?? `\${${urlVariable}}`}/mcp`,
          headers: { Authorization: `Bearer \${${tokenVariable}}` },
        },
      },
    },
    "hooks/hooks.json": {
      hooks: hookEntries("gemini-cli", () => ({ hooks: [{ name: "svc", type: "command", command }] })),
    },
    "hooks/svc-hook.sh": hookScript,
    ...skillsOf(siteUrl),
  };
}
