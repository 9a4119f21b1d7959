/** The hooks of Cursor. */
import { type AgentHooks, label, subagent, text, word } from "./agent-hooks.ts";

export const cursor: AgentHooks = {
  session: ({ session_id, conversation_id }) => text(session_id) ?? text(conversation_id),
  folder: ({ workspace_roots }) => (Array.isArray(workspace_roots) ? text(workspace_roots[0]) : undefined),
  events: {
    sessionStart: ({ model }) => ({ phase: "start", model: label(model) }),
    sessionEnd: ({ reason }) => ({ phase: reason === "error" ? "failed" : "end", reason: word(reason) }),
    subagentStart: subagent("start"),
    subagentStop: subagent("end"),
  },
  answer: (additional_context) => ({ additional_context }),
};
