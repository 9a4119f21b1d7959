/** Settings of Claude Code. Its log events have each request, with tokens and cost; metrics repeat them. */
import { asyncHook } from "../../../../src/integrations/agent-hooks/hooked-agents.ts";
import { valueAt } from "../settings/edit.ts";
import {
  type AgentSetup,
  bearer,
  changesOf,
  fileFor,
  hookItems,
  isOwnOtlpUrl,
  mcpUrl,
  otlpUrl,
  set,
  setEach,
  type Writer,
} from "./writer.ts";

export const claudeCode: Writer = (setup, current) => {
  const { scope, projectFolder, token, hookCommand } = setup;
  const hook = (event: string) => ({
    hooks: [{ type: "command", command: hookCommand, ...asyncHook(event) }],
  });
  const settings = fileFor(setup, "hooks");
  const mcp = fileFor(setup, "mcp");
  const env = (name: string) => valueAt(current(settings), ["env", name]);
  const sendsElsewhere =
    env("OTEL_LOGS_EXPORTER") !== undefined && !isOwnOtlpUrl(env("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"));
  // The plugin brings the hooks and the MCP server, and lacks the connection and the telemetry.
  const hasPlugin = valueAt(current(settings), ["enabledPlugins", "svc@svc"]) === true;
  const servers = scope === "user" ? ["mcpServers"] : ["projects", projectFolder, "mcpServers"];
  return {
    changes: changesOf(
      [settings, hasPlugin ? [] : hookItems("claude-code", hook)],
      [settings, sendsElsewhere ? [] : setEach(["env"], telemetryVariables(setup))],
      [mcp, hasPlugin ? [] : [set([...servers, "svc"], mcpServer(mcpUrl(setup), bearer(token)))]],
    ),
    notes: [
      ...(hasPlugin ? ["The plugin svc@svc is enabled, so its hooks and its MCP server are used."] : []),
      ...(sendsElsewhere
        ? ["Claude Code already sends its telemetry elsewhere. That stays, so svc gets no tokens from it."]
        : []),
    ],
  };
};

/** An MCP server over HTTP, in the form of Claude Code and VS Code. */
export const mcpServer = (url: string, authorization: string) => ({
  type: "http",
  url,
  headers: { Authorization: authorization },
});

/** Variables of the logs alone: metrics that go elsewhere still do. */
const telemetryVariables = (setup: AgentSetup): Record<string, string> => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: otlpUrl(setup, "/v1/logs"),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: `Authorization=${bearer(setup.token)}`,
});
