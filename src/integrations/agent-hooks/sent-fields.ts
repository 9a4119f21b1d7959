/**
 * The fields of a hook that reach the server: what names the session, and its end. Prompts,
 * and what tools read, stay on the machine.
 */
export const sentFields = [
  "hook_event_name",
  "session_id",
  "sessionId",
  "conversation_id",
  "source",
  "model",
  "reason",
  "error",
  "notification_type",
  "agent_id",
  "agent_type",
] as const;
