/** Who the agent behind the Agent Client Protocol is. */
import { basename } from "node:path";
import { agents, allAgents } from "../../../src/core/agents/agents.ts";
import type { ReportedAgent } from "../../../src/integrations/agent-hooks/session-report.ts";

/**
 * The agent, by the name that it gives itself, else by its command. Those that svc knows have many names:
 * `@agentclientprotocol/claude-agent-acp`, `codex-acp`, `OpenCode`.
 */
export function agentNamed(
  name: string | undefined,
  [program = "", ...words]: readonly string[],
): KnownAgent {
  const given = cleanName(name ?? "");
  const names = given
    ? [given]
    : [program, ...words].filter((word) => !word.startsWith("-")).map((word) => basename(word));
  for (const one of names) {
    const id = allAgents.find((agent) => wordsOf(one).includes(agent.split("-")[0] ?? agent));
    if (id) return { ...agents[id], isKnown: true };
  }
  const id = given || cleanName(basename(program)) || "acp";
  return { id, label: id, actor: `agent:${id}`, isKnown: false };
}

export interface KnownAgent extends ReportedAgent {
  /** svc reads its telemetry or its session files, which have its steps and what they cost. */
  isKnown: boolean;
}

const wordsOf = (name: string): string[] => name.toLowerCase().split(/[^a-z0-9]+/);

const cleanName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
