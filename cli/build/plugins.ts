/**
 * The files of the plugin for Claude Code, the extension for Gemini CLI, and the settings for Cursor, in the
 * folders of `cli/connect`. `bun run plugins` writes them from the same definitions as `svc connect`.
 */

import { join } from "node:path";
import { claudeCodePlugin, type PluginFiles } from "../../src/api/plugins/claude-code.ts";
import {
  fileText,
  hookEntries,
  hookScript,
  skillsOf,
  tokenText,
  urlText,
} from "../../src/api/plugins/plugin.ts";
import { description, version } from "../../src/core/version.ts";
import type { HookedAgent } from "../../src/integrations/agent-hooks/hooked-agents.ts";
import { bearer, tokenVariable } from "../agents/connect/writers/writer.ts";

const urlVariable = "SVC_URL";

/** Path in the repository → text. */
export function pluginFiles(): Map<string, string> {
  const files = { ...claudeCodeFiles(), ...geminiFiles(), ...cursorFiles() };
  return new Map(Object.entries(files).map(([path, content]) => [path, fileText(content)]));
}

const inFolder = (folder: string, files: PluginFiles): PluginFiles =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

function claudeCodeFiles(): PluginFiles {
  const folder = "cli/connect/claude-code";
  return {
    ".claude-plugin/marketplace.json": {
      name: "svc",
      owner: { name: "svc" },
      description,
      plugins: [{ name: "svc", source: `./${folder}`, description }],
    },
    ...inFolder(folder, claudeCodePlugin(null)),
  };
}

function geminiFiles(): PluginFiles {
  const folder = "cli/connect/gemini-cli";
  return {
    [`${folder}/gemini-extension.json`]: {
      name: "svc",
      version,
      description,
      settings: [
        { name: "Server", description: urlText, envVar: urlVariable },
        { name: "Token", description: tokenText, envVar: tokenVariable, sensitive: true },
      ],
      mcpServers: {
        svc: {
          httpUrl: `\${${urlVariable}}/mcp`,
          headers: { Authorization: bearer(`\${${tokenVariable}}`) },
        },
      },
    },
    [`${folder}/hooks/hooks.json`]: {
      hooks: hookEntries("gemini-cli", () => ({
        hooks: [
          {
            name: "svc",
            type: "command",
            command: `sh "\${extensionPath}/hooks/svc-hook.sh" gemini-cli`,
          },
        ],
      })),
    },
    [`${folder}/hooks/svc-hook.sh`]: hookScript,
    ...inFolder(folder, skillsOf(null)),
  };
}

/** A hook that does nothing where svc is not installed: these settings have no folder for a script. */
const portableCommand = (agent: HookedAgent): string =>
  `if command -v svc >/dev/null 2>&1; then svc hook ${agent}; fi`;

function cursorFiles(): PluginFiles {
  const folder = "cli/connect/cursor";
  const variable = (name: string) => `\${env:${name}}`;
  return {
    [`${folder}/mcp.json`]: {
      mcpServers: {
        svc: {
          url: `${variable(urlVariable)}/mcp`,
          headers: { Authorization: bearer(variable(tokenVariable)) },
        },
      },
    },
    [`${folder}/hooks.json`]: {
      version: 1,
      hooks: hookEntries("cursor", () => ({ command: portableCommand("cursor") })),
    },
  };
}

if (import.meta.main)
  for (const [path, text] of pluginFiles()) await Bun.write(join(import.meta.dir, "../..", path), text);
