/** Settings of Cursor, VS Code, GitHub Copilot CLI and OpenCode. */
import { mcpServer } from "./claude-code.ts";
import { openCodePlugin } from "./opencode-plugin.ts";
import {
  type AgentSetup,
  bearer,
  changesOf,
  fileFor,
  hookItems,
  mcpUrl,
  otlpUrl,
  ownItem,
  set,
  tokenInput,
  tokenVariable,
  type Writer,
} from "./writer.ts";

/** Cursor and Copilot ignore a file of hooks without a version. Other hooks in the file need it too. */
const version = { ...set(["version"], 1), isShared: true as const };

/** The token, or in settings that are committed, how they refer to a variable. */
const tokenIn = ({ scope, token }: AgentSetup, reference: string): string =>
  scope === "user" ? token : reference;

export const cursor: Writer = (setup) => {
  const token = tokenIn(setup, `\${env:${tokenVariable}}`);
  const server = { url: mcpUrl(setup), headers: { Authorization: bearer(token) } };
  return {
    changes: changesOf(
      [fileFor(setup, "mcp"), [set(["mcpServers", "svc"], server)]],
      [fileFor(setup, "hooks"), [version, ...hookItems("cursor", () => ({ command: setup.hookCommand }))]],
    ),
    notes: [],
  };
};

export const vscode: Writer = (setup) => {
  const token = tokenIn(setup, `\${input:${tokenInput}}`);
  const input = { type: "promptString", id: tokenInput, description: "Token for svc", password: true };
  return {
    changes: changesOf(
      [fileFor(setup, "mcp"), [set(["servers", "svc"], mcpServer(mcpUrl(setup), bearer(token)))]],
      [fileFor(setup, "mcp"), setup.scope === "user" ? [] : [ownItem("vscode", ["inputs"], input)]],
    ),
    notes: [
      "VS Code has no hooks of its own. Its agents read briefs and report runs through the MCP server.",
    ],
  };
};

export const copilot: Writer = (setup) => {
  const server = { ...mcpServer(mcpUrl(setup), bearer(setup.token)), tools: ["*"] };
  const hook = { type: "command", bash: setup.hookCommand, timeoutSec: 10 };
  return {
    changes: changesOf(
      [fileFor(setup, "mcp"), [set(["mcpServers", "svc"], server)]],
      [fileFor(setup, "hooks"), [version, ...hookItems("copilot", () => hook)]],
    ),
    notes: [
      "Copilot CLI takes its telemetry settings from the environment. For tokens, set where it starts: " +
        `OTEL_EXPORTER_OTLP_ENDPOINT=${otlpUrl(setup)} and ` +
        `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20$${tokenVariable}`,
    ],
  };
};

export const opencode: Writer = (setup) => {
  const token = tokenIn(setup, `{env:${tokenVariable}}`);
  const headers = { Authorization: bearer(token) };
  return {
    changes: [
      ...changesOf([
        fileFor(setup, "mcp"),
        [set(["mcp", "svc"], { type: "remote", url: mcpUrl(setup), enabled: true, headers })],
      ]),
      { file: fileFor(setup, "hooks"), text: openCodePlugin(setup.hookCommand) },
    ],
    notes: [],
  };
};
