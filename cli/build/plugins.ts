/**
 * The files of the plugin for Claude Code, the extension for Gemini CLI, and the settings for Cursor, in the
 * folders of `cli/connect`. `bun run plugins` writes them from the same definitions as `svc connect`.
 */

import { join } from "node:path";
import { claudeCodePlugin } from "../../src/api/plugins/claude-code.ts";
import { geminiExtension } from "../../src/api/plugins/gemini-cli.ts";
import {
  fileText,
  hookEntries,
  type PluginFiles,
  tokenVariable,
  urlVariable,
} from "../../src/api/plugins/plugin.ts";
import { description } from "../../src/core/version.ts";
import type { HookedAgent } from "../../src/integrations/agent-hooks/hooked-agents.ts";
import { bearer } from "../agents/connect/writers/writer.ts";

/** Path in the repository → text. */
export function pluginFiles(): Map<string, string> {
  const files = {
    ...claudeCodeFiles(),
    ...inFolder("cli/connect/gemini-cli", geminiExtension(null)),
    ...cursorFiles(),
  };
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
