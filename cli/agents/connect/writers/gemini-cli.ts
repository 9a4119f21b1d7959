/** Settings of Gemini CLI. Its exporter sends no headers, so the URL holds a token for telemetry alone. */
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
  telemetryTokenVariable,
  tokenVariable,
  type Writer,
} from "./writer.ts";

export const geminiCli: Writer = (setup, current) => {
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
