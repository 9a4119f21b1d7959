/** The plugin that svc writes for OpenCode, which has plugins in place of hooks. */

/** Its first line: a file without it belongs to someone else. */
export const scriptMarker = "// Written by svc connect. svc disconnect deletes it.";

/**
 * Hands sessions that start, end and fail to `svc hook opencode`, in the form of Claude Code's hooks. A
 * session of a subagent has a parent. A session is created once and works many times; after an error it is
 * idle twice (1.18.33).
 */
export const openCodePlugin = (hookCommand: string): string => `${scriptMarker}
import { spawn } from "node:child_process";

export const svc = async ({ directory }) => {
  const parents = new Map();
  const working = new Set();
  const asking = new Set();
  const send = (hook_event_name, session_id, fields) => {
    const hook = spawn(${JSON.stringify(hookCommand)}, { shell: true, stdio: ["pipe", "ignore", "ignore"] });
    hook.on("error", () => {});
    hook.stdin.on("error", () => {});
    hook.stdin.end(JSON.stringify({ hook_event_name, session_id, cwd: directory, ...fields }));
    hook.unref();
  };
  const start = (id, source) => {
    if (!id || working.has(id)) return;
    working.add(id);
    const parent = parents.get(id);
    if (parent) send("SubagentStart", parent, { agent_id: id });
    else send("SessionStart", id, { source });
  };
  const end = (id, hook, fields) => {
    if (!working.delete(id)) return;
    const parent = parents.get(id);
    if (parent) send("SubagentStop", parent, { agent_id: id });
    else send(hook, id, fields);
  };
  const asks = {
    "permission.asked": true,
    "question.asked": true,
    "permission.replied": false,
    "question.replied": false,
    "question.rejected": false,
  };
  return {
    event: async ({ event: { type, properties } }) => {
      const { sessionID, info, status } = properties;
      if (sessionID && asks[type] === true) {
        asking.add(sessionID);
        send("Notification", sessionID, { notification_type: type });
      }
      if (asks[type] === false && asking.delete(sessionID)) send("PostToolUse", sessionID);
      if (type === "session.created") {
        if (info?.parentID) parents.set(info.id, info.parentID);
        start(info?.id, "startup");
      }
      if (type === "session.status" && status?.type === "busy") start(sessionID, "resume");
      // It says that it is idle while it asks, too.
      if (type === "session.idle" && !asking.has(sessionID)) end(sessionID, "SessionEnd", { reason: "idle" });
      if (type === "session.error") asking.delete(sessionID);
      if (type === "session.error") end(sessionID, "StopFailure", { error: "session.error" });
    },
  };
};
`;
