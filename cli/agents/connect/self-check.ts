/**
 * Checks a connection with what the agent will use: its token, the MCP server, the path of its telemetry, the
 * command of its hooks, and an event that arrives in the feed.
 */
import type { Agent } from "../../../src/core/agents/agents.ts";
import { openRemote } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import type { Connection } from "../connections.ts";
import { codexTrust, untrustedHooks } from "./codex-trust.ts";

export interface CheckedConnection {
  agent: Agent;
  connection: Connection;
  telemetryUrl: string | null;
  hookCommand: string | null;
  /** Send the event; a connection that stays as it was needs no second one. */
  isNew: boolean;
}

export interface CheckResult {
  name: string;
  /** What is wrong; null if nothing is. */
  fault: string | null;
  /** What the user has to do before it works. */
  pending?: string;
}

const timeoutMs = 10_000;

/** Runs every check, also after one that fails. */
export async function checkConnection(checked: CheckedConnection): Promise<CheckResult[]> {
  const { telemetryUrl, hookCommand, isNew } = checked;
  const checks: [string, () => Promise<string | null>][] = [
    ["MCP server", () => checkMcp(checked)],
    ...(telemetryUrl ? [["telemetry", () => checkTelemetry(checked, telemetryUrl)] as const] : []),
    ...(hookCommand ? [["hooks", () => checkHook(hookCommand)] as const] : []),
    ...(isNew ? [["event in the feed", () => checkEvent(checked)] as const] : []),
  ].map(([name, check]) => [name as string, check as () => Promise<string | null>]);
  const results: CheckResult[] = [];
  for (const [name, check] of checks)
    results.push({ name, fault: await check().catch((error: Error) => error.message) });
  const hooks = results.find(({ name }) => name === "hooks");
  if (hooks && checked.agent.id === "codex" && (await codexTrust(process.cwd())) !== "trusted")
    hooks.pending = untrustedHooks;
  return results;
}

const post = (url: string, token: string | null, body: object): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });

async function checkMcp({ connection: { server, token } }: CheckedConnection): Promise<string | null> {
  const { status } = await post(`${server}/mcp`, token, { jsonrpc: "2.0", id: 1, method: "tools/list" });
  return status === 200 ? null : `${server}/mcp answers with the status ${status}`;
}

/** An empty request is a success, and stores nothing. */
async function checkTelemetry({ connection }: CheckedConnection, url: string): Promise<string | null> {
  const { status } = await post(`${url}/v1/logs`, url.includes("/t/") ? null : connection.token, {});
  return status === 200 ? null : `${connection.server} answers telemetry with ${status}`;
}

/** A hook that it does not know changes nothing, and must never fail. */
export async function checkHook(command: string): Promise<string | null> {
  const shell = process.platform === "win32" ? ["cmd", "/d", "/s", "/c", command] : ["sh", "-c", command];
  const hook = Bun.spawn(shell, {
    stdin: new Blob([JSON.stringify({ hook_event_name: "Check", session_id: "check" })]),
    stdout: "ignore",
    stderr: "pipe",
  });
  const [code, errors] = await Promise.all([hook.exited, new Response(hook.stderr).text()]);
  return code === 0 ? null : `${command} exits with ${code}: ${errors.trim().split("\n")[0]}`;
}

/** Without a run or usage, so it changes no list of runs and no sum. */
async function checkEvent({ agent, connection }: CheckedConnection): Promise<string | null> {
  const { server, token, project, connected_at } = connection;
  const { api } = openRemote({ url: server, source: "--server", token, tokenSource: null });
  const event = {
    kind: "step.usage" as const,
    actor: agent.actor,
    project,
    summary: `${agent.label} connected`,
    dedupe_key: `connect:${agent.id}:${connected_at}`,
  };
  await unwrap(api.POST("/events", { body: { events: [event] } }));
  const { events } = await unwrap(
    api.GET("/feed", { params: { query: { project: [project], actor: [agent.actor], limit: 5 } } }),
  );
  return events.some(({ summary }) => summary === event.summary) ? null : "the event did not arrive";
}
