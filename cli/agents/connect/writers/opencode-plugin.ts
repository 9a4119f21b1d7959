/** The plugin that svc writes for OpenCode, which has plugins in place of hooks. */

/** Its first line: a file without it belongs to someone else. */
export const scriptMarker = "// Written by svc connect. svc disconnect deletes it.";

/** Hands sessions that start, end and fail to `svc hook opencode`, in the form of Claude Code's hooks. */
export const openCodePlugin = (hookCommand: string): string => `${scriptMarker}
import { spawn } from "node:child_process";

export const svc = async ({ directory }) => {
  const send = (hook_event_name, session_id, fields = {}) => {
    if (!session_id) return;
    const hook = spawn(${JSON.stringify(hookCommand)}, { shell: true, stdio: ["pipe", "ignore", "ignore"] });
    hook.on("error", () => {});
    hook.stdin.on("error", () => {});
    hook.stdin.end(JSON.stringify({ hook_event_name, session_id, cwd: directory, ...fields }));
    hook.unref();
  };
  return {
    event: async ({ event: { type, properties } }) => {
      if (type === "session.created") send("SessionStart", properties.info?.id, { source: "startup" });
      if (type === "session.idle") send("SessionEnd", properties.sessionID, { reason: "idle" });
      if (type === "session.error") send("StopFailure", properties.sessionID, { error: "session.error" });
    },
  };
};
`;
