/** The plugin for OpenCode, written by `svc connect` or served by a deployment: it has no hooks. */
import { hookScript, siteVariable } from "./plugin.ts";

/** Its first line: a file without it belongs to someone else. */
export const scriptMarker = "// Written by svc connect. svc disconnect deletes it.";

/** The plugin of a deployment, which needs no svc on the machine. */
export const servedOpenCodePlugin = (siteUrl: string): string =>
  openCodePlugin(`${siteVariable(siteUrl)}sh -c '${hookScript.replaceAll("'", "'\\''")}' svc-hook opencode`);

/**
 * Hands sessions that start, end and fail to `svc hook opencode`, in the form of Claude Code's hooks. A
 * session of a subagent has a parent. A session is created once and works many times; after an error it is
 * idle twice (1.18.33).
 *
 * What a start answers, such as the brief, is part of the system prompt of each request of the session. What
 * is thrown before a tool runs is what the agent reads as its result. At the end of a turn, a prompt goes to
 * the agent and the model of the last one, or a session that plans would begin to build.
 * `opencode run` exits once the session is idle: there each text after a tool may be the last.
 */
export const openCodePlugin = (hookCommand: string): string => `${scriptMarker}
import { spawn } from "node:child_process";

export const svc = async ({ client, directory }) => {
  const parents = new Map();
  const working = new Set();
  const asking = new Set();
  const changed = new Set();
  const prompts = new Map();
  const edits = new Map();
  const briefs = new Map();
  const isRun = process.argv.includes("run");
  const call = (stdout, hook_event_name, session_id, fields) => {
    const hook = spawn(${JSON.stringify(hookCommand)}, { shell: true, stdio: ["pipe", stdout, "ignore"] });
    hook.on("error", () => {});
    hook.stdin.on("error", () => {});
    hook.stdin.end(JSON.stringify({ hook_event_name, session_id, cwd: directory, ...fields }));
    return hook;
  };
  const send = (name, id, fields) => call("ignore", name, id, fields).unref();
  const ask = (name, id, fields, ms = 10_000) =>
    new Promise((resolve) => {
      const hook = call("pipe", name, id, fields);
      let answer = "";
      hook.stdout.setEncoding("utf8").on("data", (text) => {
        answer += text;
      });
      const done = () => {
        clearTimeout(timer);
        try {
          resolve(JSON.parse(answer) ?? {});
        } catch {
          resolve({});
        }
      };
      const timer = setTimeout(done, ms);
      hook.on("error", done).on("close", done);
    });
  const review = async (id) => {
    if (!id || parents.has(id) || !changed.delete(id)) return;
    const { reason: text } = await ask("Stop", id);
    const body = { ...prompts.get(id), parts: [{ type: "text", text }] };
    if (text) await client.session.promptAsync({ path: { id }, body }).catch(() => {});
  };
  const start = (id, source) => {
    if (!id || working.has(id)) return;
    working.add(id);
    const parent = parents.get(id);
    if (parent) send("SubagentStart", parent, { agent_id: id });
    else {
      briefs.set(id, ask("SessionStart", id, { source }, 3_000));
      if (briefs.size > 100) briefs.delete(briefs.keys().next().value);
    }
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
    "chat.message": async ({ sessionID }, { message: { agent, model } }) => {
      prompts.set(sessionID, { agent, model });
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const { context } = (await briefs.get(sessionID)) ?? {};
      if (context) system.push(context);
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      changed.add(sessionID);
      if (/^(edit|write|multiedit|apply_patch)$/.test(tool))
        edits.set(callID, { file_path: args?.filePath, patch: args?.patchText });
      if (tool !== "bash") return;
      const session = parents.get(sessionID) ?? sessionID;
      const { reason } = await ask("PreToolUse", session, { tool_input: { command: args?.command } });
      if (reason) throw new Error(reason);
    },
    "tool.execute.after": async ({ tool, sessionID, callID }) => {
      const tool_input = edits.get(callID);
      if (edits.delete(callID))
        send("PostToolUse", parents.get(sessionID) ?? sessionID, { tool_name: tool, tool_input });
    },
    "experimental.text.complete": async ({ sessionID }) => {
      if (isRun) await review(sessionID);
    },
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
      if (type === "session.idle" && !asking.has(sessionID)) {
        end(sessionID, "SessionEnd", { reason: "idle" });
        await review(sessionID);
      }
      if (type === "session.error") asking.delete(sessionID);
      if (type === "session.error") end(sessionID, "StopFailure", { error: "session.error" });
    },
  };
};
`;
