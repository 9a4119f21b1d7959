/** The plugin for OpenCode, with events as OpenCode 1.18.33 sends them, shortened. */
import { expect, test } from "bun:test";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { openCodePlugin } from "../../../src/api/plugins/opencode.ts";
import { temporaryFolder, until } from "../../support/harness.ts";

const created = (id: string, parentID?: string) => ({
  type: "session.created",
  properties: { sessionID: id, info: { id, slug: "eager-lagoon", version: "1.18.33", parentID } },
});
const status = (sessionID: string, type: "busy" | "idle") => ({
  type: "session.status",
  properties: { sessionID, status: { type } },
});
const idle = (sessionID: string) => ({ type: "session.idle", properties: { sessionID } });
const failed = (sessionID?: string) => ({
  type: "session.error",
  properties: { sessionID, error: { name: "APIError", data: { message: "MARKER", statusCode: 400 } } },
});

test("reports each time that a session works once, its failure, and its subagents as their own sessions", async () => {
  await using folder = await temporaryFolder();
  const [path, log] = [join(folder.path, "svc.js"), join(folder.path, "hooks")];
  await appendFile(path, openCodePlugin(`cat >> '${log}'; echo >> '${log}'`));
  const { svc } = (await import(path)) as { svc(input: object): Promise<Hooks> };
  const hooks = await svc({ directory: "/p" });
  const sent = async () => {
    const text = await Bun.file(log)
      .text()
      .catch(() => "");
    // Without the last line, of which a part may be written so far.
    return text
      .split("\n")
      .slice(0, -1)
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, string>);
  };
  let count = 0;
  /** @returns what the plugin sends for events, of which each sends at most one */
  const after = async (...events: object[]) => {
    for (const one of events) await hooks.event?.({ event: one });
    await until(async () => (await sent()).length > count, "the hook of the plugin");
    return (await sent())[count++];
  };
  const session = { session_id: "ses_1", cwd: "/p" };
  expect(await after(created("ses_1"), status("ses_1", "busy"))).toEqual({
    ...{ ...session, hook_event_name: "SessionStart", source: "startup" },
  });
  const child = { ...session, agent_id: "ses_2" };
  expect(await after(created("ses_2", "ses_1"), status("ses_2", "busy"))).toEqual({
    ...{ ...child, hook_event_name: "SubagentStart" },
  });
  expect(await after(status("ses_2", "idle"), idle("ses_2"))).toEqual({
    ...{ ...child, hook_event_name: "SubagentStop" },
  });
  expect(await after(status("ses_1", "idle"), idle("ses_1"))).toEqual({
    ...{ ...session, hook_event_name: "SessionEnd", reason: "idle" },
  });
  expect(await after(status("ses_1", "busy"), status("ses_1", "busy"))).toEqual({
    ...{ ...session, hook_event_name: "SessionStart", source: "resume" },
  });
  expect(
    await after(failed("ses_1"), status("ses_1", "idle"), idle("ses_1"), idle("ses_1"), failed()),
  ).toEqual({
    ...{ ...session, hook_event_name: "StopFailure", error: "session.error" },
  });
  expect(await after(status("ses_1", "busy"))).toMatchObject({ source: "resume" });
  const about = (type: string) => ({
    type,
    properties: { id: "per_1", sessionID: "ses_1", MARKER: "MARKER" },
  });
  // The session says that it is idle while it asks.
  expect(await after(about("permission.asked"), status("ses_1", "idle"), idle("ses_1"))).toEqual({
    ...{ ...session, hook_event_name: "Notification", notification_type: "permission.asked" },
  });
  expect(await after(about("permission.replied"), about("permission.replied"))).toEqual({
    ...{ ...session, hook_event_name: "PostToolUse" },
  });
  expect(await after(idle("ses_1"))).toMatchObject({ hook_event_name: "SessionEnd" });
  const tool = { sessionID: "ses_1", callID: "call_1" };
  await hooks["tool.execute.before"]?.(
    { ...tool, tool: "edit" },
    { args: { filePath: "/p/a.ts", newString: "MARKER" } },
  );
  await hooks["tool.execute.after"]?.({ ...tool, tool: "edit" }, { output: "MARKER" });
  await until(async () => (await sent()).length > count, "the hook after the tool");
  expect((await sent())[count++] as object).toEqual({
    ...{
      ...session,
      hook_event_name: "PostToolUse",
      tool_name: "edit",
      tool_input: { file_path: "/p/a.ts" },
    },
  });
  expect(await sent()).toHaveLength(11);
});

type Hooks = Record<string, (input: object, output?: object) => Promise<void>>;

test("throws why a command is refused, hands over a prompt at the end of a turn, and adds the brief", async () => {
  await using folder = await temporaryFolder();
  const [path, script] = [join(folder.path, "svc.js"), join(folder.path, "hook.sh")];
  await appendFile(
    script,
    `case "$(cat)" in
*PreToolUse*publish*) echo '{"reason":"decision 12"}';;
*SessionStart*) echo '{"context":"the brief"}';;
*'"Stop"'*) echo '{"reason":"new.css breaks decision 12"}';;
esac`,
  );
  await appendFile(path, openCodePlugin(`sh '${script}'`));
  const { svc } = (await import(path)) as { svc(input: object): Promise<Hooks> };
  const prompted: object[] = [];
  const promptAsync = async (prompt: object) => prompted.push(prompt);
  const hooks = await svc({ directory: "/p", client: { session: { promptAsync } } });
  const before = (tool: string, command?: string, sessionID = "ses_1") =>
    hooks["tool.execute.before"]?.({ tool, sessionID, callID: "c" }, { args: { command } });
  const message = { agent: "build", model: { providerID: "p", modelID: "m" }, id: "MARKER" };
  await hooks["chat.message"]?.({ sessionID: "ses_1" }, { message, parts: [] });
  await hooks.event?.({ event: idle("ses_1") });
  expect(await before("bash", "ls")).toBeUndefined();
  expect(await before("webfetch")).toBeUndefined();
  expect(before("bash", "npm publish")).rejects.toThrow("decision 12");
  for (let time = 0; time < 2; time++) await hooks.event?.({ event: idle("ses_1") });
  await hooks.event?.({ event: created("ses_2", "ses_1") });
  await before("edit", undefined, "ses_2");
  await hooks.event?.({ event: idle("ses_2") });
  const system = ["You are OpenCode."];
  await hooks["experimental.chat.system.transform"]?.({ sessionID: "ses_1", model: {} }, { system });
  await hooks.event?.({ event: status("ses_1", "busy") });
  await hooks["experimental.chat.system.transform"]?.({ sessionID: "ses_1", model: {} }, { system });
  expect(system).toEqual(["You are OpenCode.", "the brief"]);
  const { agent, model } = message;
  const parts = [{ type: "text", text: "new.css breaks decision 12" }];
  expect(prompted).toEqual([{ path: { id: "ses_1" }, body: { agent, model, parts } }]);
});
