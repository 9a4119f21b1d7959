/** Settings of Codex. A project's settings are committed, so they name a variable in place of the token. */
import type { JsonValue } from "../settings/edit.ts";
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
  tokenVariable,
  type Writer,
} from "./writer.ts";

/**
 * Codex cuts the middle out of longer context. Its default of 2,500 tokens of 4 bytes is less than a brief in
 * Cyrillic or Japanese. Known since 0.145.0 at the latest.
 */
const additionalContextLimit = 10_000;

export const codex: Writer = (setup, current) => {
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
