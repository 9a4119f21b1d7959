/** The writer of each agent's settings. */

import { additionalContextLimit } from "../../../../src/api/plugins/codex.ts";
import { openCodePlugin } from "../../../../src/api/plugins/opencode.ts";
import type { AgentId } from "../../../../src/core/agents/agents.ts";
import { type JsonValue, valueAt } from "../settings/edit.ts";
import { claudeCode, mcpServer } from "./claude-code.ts";
import {
  type AgentSetup,
  bearer,
  changesOf,
  fileFor,
  hookItems,
  isOwnOtlpUrl,
  mcpUrl,
  otlpUrl,
  ownItem,
  set,
  setEach,
  telemetryTokenVariable,
  tokenInput,
  tokenVariable,
  type Writer,
} from "./writer.ts";

const codex: Writer = (setup, current) => {
  const mcp = fileFor(setup, "mcp");
  const hook = { type: "command", command: setup.hookCommand };
  const hooks = hookItems("codex", (event) => ({
    hooks: [event === "SessionStart" ? { ...hook, additionalContextLimit } : hook],
  }));
  if (setup.scope === "project")
    return {
      changes: changesOf(
        [mcp, [set(["mcp_servers", "svc"], { url: mcpUrl(setup), bearer_token_env_var: tokenVariable })]],
        [fileFor(setup, "hooks"), hooks],
      ),
      notes: [
        "Codex reads these files only in a folder that it trusts.",
        "Codex takes telemetry settings from its user settings: for tokens, use --scope user.",
      ],
    };
  const headers = { Authorization: bearer(setup.token) };
  const exporter = valueAt(current(mcp), ["otel", "exporter"]);
  const sendsElsewhere = exporter !== undefined && exporter !== "none" && !isOwnExporter(exporter);
  return {
    changes: changesOf(
      [mcp, [set(["mcp_servers", "svc"], { url: mcpUrl(setup), http_headers: headers })]],
      [mcp, sendsElsewhere ? [] : [set(["otel", "exporter"], exporterOf(setup))]],
      [fileFor(setup, "hooks"), hooks],
    ),
    notes: sendsElsewhere
      ? ["Codex already sends its telemetry elsewhere. That stays, so svc gets no tokens from it."]
      : [],
  };
};

/** Codex uses the endpoint as it is written. */
const exporterOf = (setup: AgentSetup) => ({
  "otlp-http": {
    endpoint: otlpUrl(setup, "/v1/logs"),
    protocol: "json",
    headers: { Authorization: bearer(setup.token) },
  },
});

const isOwnExporter = (exporter: JsonValue): boolean =>
  typeof exporter === "object" && isOwnOtlpUrl(valueAt({ exporter }, ["exporter", "otlp-http", "endpoint"]));

/** Cursor and Copilot ignore a file of hooks without a version. Other hooks in the file need it too. */
const version = { ...set(["version"], 1), isShared: true as const };

/** The token, or in settings that are committed, how they refer to a variable. */
const tokenIn = ({ scope, token }: AgentSetup, reference: string): string =>
  scope === "user" ? token : reference;

const cursor: Writer = (setup) => {
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

const vscode: Writer = (setup) => {
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

const copilot: Writer = (setup) => {
  const server = { ...mcpServer(mcpUrl(setup), bearer(setup.token)), tools: ["*"] };
  // Copilot refuses a tool if the hook before it fails, as it does once svc is removed.
  const hook = (event: string) => ({
    type: "command",
    bash: `${setup.hookCommand}${event === "PreToolUse" ? " || :" : ""}`,
    timeoutSec: 10,
  });
  return {
    changes: changesOf(
      [fileFor(setup, "mcp"), [set(["mcpServers", "svc"], server)]],
      [fileFor(setup, "hooks"), [version, ...hookItems("copilot", hook)]],
    ),
    notes: [
      "Copilot CLI takes its telemetry settings from the environment. For tokens, set where it starts: " +
        `OTEL_EXPORTER_OTLP_ENDPOINT=${otlpUrl(setup)} and ` +
        `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20$${tokenVariable}`,
    ],
  };
};

const opencode: Writer = (setup) => {
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

/** Settings of Gemini CLI. Its exporter sends no headers, so the URL holds a token for telemetry alone. */
const geminiCli: Writer = (setup, current) => {
  const settings = fileFor(setup, "mcp");
  const isUser = setup.scope === "user";
  const token = isUser ? setup.token : `$${tokenVariable}`;
  const telemetryToken =
    isUser || !setup.telemetryToken ? setup.telemetryToken : `$${telemetryTokenVariable}`;
  const now = (key: string) => valueAt(current(settings), ["telemetry", key]);
  const sendsElsewhere = now("enabled") === true && !isOwnOtlpUrl(now("otlpEndpoint"));
  const hook = { hooks: [{ name: "svc", type: "command", command: setup.hookCommand }] };
  const server = { httpUrl: mcpUrl(setup), headers: { Authorization: bearer(token) } };
  return {
    changes: changesOf(
      [settings, [set(["mcpServers", "svc"], server), ...hookItems("gemini-cli", () => hook)]],
      [settings, telemetryToken && !sendsElsewhere ? telemetry(setup, telemetryToken) : []],
    ),
    notes: [
      ...(sendsElsewhere
        ? ["Gemini CLI already sends its telemetry elsewhere. That stays, so svc gets no tokens from it."]
        : []),
      ...(telemetryToken || sendsElsewhere ? [] : [withoutTelemetry(setup)]),
    ],
  };
};

const telemetry = (setup: AgentSetup, token: string) =>
  setEach(["telemetry"], {
    enabled: true,
    target: "local",
    otlpEndpoint: otlpUrl(setup, `/t/${token}`),
    otlpProtocol: "http",
    logPrompts: false, // its default sends every prompt
  });

const withoutTelemetry = ({ agent }: AgentSetup): string =>
  `For tokens, ${agent.label} needs a second token that can only send telemetry. Create one on the server ` +
  `with svc token create ${agent.id}-telemetry --role telemetry, and add it as the second line of ` +
  "--token-stdin.";

export const writers: Record<AgentId, Writer> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  cursor,
  copilot,
  opencode,
  vscode,
};
