/** Hooks as agents write them, with a marker in every field that svc does not read. */
import type { HookInput } from "../../../src/integrations/agent-hooks/agent-hooks.ts";
import { agentHooks, type HookedAgent } from "../../../src/integrations/agent-hooks/hooked-agents.ts";
import { runIdOf, sessionReport } from "../../../src/integrations/agent-hooks/session-report.ts";
import { must } from "../harness.ts";

export const at = new Date("2026-11-23T21:00:00.500Z");

/** Every field that a hook of some agent has and svc does not read, and one that none has yet. */
const private_ = Object.fromEntries(
  [
    ...[
      "transcript_path",
      "permission_mode",
      "prompt_id",
      "prompt",
      "session_title",
      "last_assistant_message",
    ],
    ...[
      "agent_transcript_path",
      "tool_name",
      "tool_input",
      "tool_response",
      "tool_use_id",
      "message",
      "title",
    ],
    ...[
      "error_details",
      "initialPrompt",
      "compact_summary",
      "user_email",
      "generation_id",
      "input",
      "unknown",
    ],
  ].map((name) => [name, { text: "MARKER", list: ["MARKER"] }]),
);

export function eventOf(agent: HookedAgent, name: string, input: HookInput) {
  const hooks = agentHooks[agent];
  const all = { ...private_, ...input, hook_event_name: name };
  const event = must(hooks.events[name])(all);
  if (!event) return null;
  const session = runIdOf(must(hooks.session(all)));
  return sessionReport(agent, session, event, { project: "atlas", repo: null }, at);
}

export const claude = { session_id: "S", cwd: "/p" };
export const cursor = { conversation_id: "S", workspace_roots: ["/p"] };
export const sub = { agent_id: "a1", agent_type: "Explore" };
