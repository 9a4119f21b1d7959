/**
 * The files of the plugin for Claude Code, the extension for Gemini CLI, and the settings for Cursor, in the
 * folders of `cli/connect`. `bun run plugins` writes them from the same definitions as `svc connect`.
 */

import { join } from "node:path";
import { listSkills } from "../../src/api/well-known/skills.ts";
import type { AgentId } from "../../src/core/agents/agents.ts";
import { description, version } from "../../src/core/version.ts";
import { type HookedAgent, hookNames } from "../../src/integrations/agent-hooks/hooked-agents.ts";
import { asyncHook, mcpServer } from "../agents/connect/writers/claude-code.ts";
import { bearer, tokenVariable } from "../agents/connect/writers/writer.ts";

const license = "Apache-2.0";
/** Stands for the deployment in skills, which the user's own settings name. */
const exampleSite = "https://svc.example.com";
const urlVariable = "SVC_URL";
const urlText = "URL of the svc server, such as https://svc.example.com";
const tokenText = "Token of the role agent, limited to your project: svc token create NAME --role agent";

/** Path in the repository → text. */
export function pluginFiles(): Map<string, string> {
  const files = { ...claudeCodeFiles(), ...geminiFiles(), ...cursorFiles() };
  return new Map(Object.entries(files).map(([path, content]) => [path, textOf(content)]));
}

const textOf = (content: string | object): string =>
  typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;

/** A hook that does nothing where svc is not installed. */
const portableCommand = (agent: AgentId): string =>
  `if command -v svc >/dev/null 2>&1; then svc hook ${agent}; fi`;

const eachHook = (agent: HookedAgent, hookFor: (event: string) => object): object =>
  Object.fromEntries(
    hookNames(agent).map(({ event, ...matcher }) => [event, [{ ...matcher, ...hookFor(event) }]]),
  );

const skillFiles = (folder: string): Record<string, string> =>
  Object.fromEntries(
    listSkills({ siteUrl: exampleSite }).map(({ name, text }) => [`${folder}/skills/${name}/SKILL.md`, text]),
  );

function claudeCodeFiles(): Record<string, string | object> {
  const folder = "cli/connect/claude-code";
  const userOption = (title: string, text: string, isSecret: boolean) => ({
    type: "string",
    title,
    description: text,
    required: true,
    ...(isSecret && { sensitive: true }),
  });
  return {
    ".claude-plugin/marketplace.json": {
      name: "svc",
      owner: { name: "svc" },
      description,
      plugins: [{ name: "svc", source: `./${folder}`, description }],
    },
    [`${folder}/.claude-plugin/plugin.json`]: {
      name: "svc",
      version,
      description,
      license,
      author: { name: "svc" },
      userConfig: {
        url: userOption("Server", urlText, false),
        token: userOption("Token", tokenText, true),
      },
    },
    [`${folder}/.mcp.json`]: {
      mcpServers: { svc: mcpServer(`\${user_config.url}/mcp`, bearer(`\${user_config.token}`)) },
    },
    [`${folder}/hooks/hooks.json`]: {
      description: "Report sessions to svc, and start them with the brief of their task",
      hooks: eachHook("claude-code", (event) => ({
        hooks: [{ type: "command", command: portableCommand("claude-code"), ...asyncHook(event) }],
      })),
    },
    ...skillFiles(folder),
  };
}

function geminiFiles(): Record<string, string | object> {
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
      hooks: eachHook("gemini-cli", () => ({
        hooks: [{ name: "svc", type: "command", command: portableCommand("gemini-cli") }],
      })),
    },
    ...skillFiles(folder),
  };
}

function cursorFiles(): Record<string, object> {
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
      hooks: eachHook("cursor", () => ({ command: portableCommand("cursor") })),
    },
  };
}

if (import.meta.main)
  for (const [path, text] of pluginFiles()) await Bun.write(join(import.meta.dir, "../..", path), text);
