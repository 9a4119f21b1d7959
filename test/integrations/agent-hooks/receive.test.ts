/** Hooks over HTTP: what a session without `svc` on its machine reports, and what it reads. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { roles } from "../../../src/core/auth/scopes.ts";
import type { Run } from "../../../src/feed/runs/schema.ts";
import { dialects, link, openApp, type TestApp } from "../../support/harness.ts";

const place = { "svc-repository": "https://x:secret@github.com/acme/atlas.git", "svc-branch": "issue-12" };
const start = {
  hook_event_name: "SessionStart",
  session_id: "s-1",
  cwd: "/home/dana/atlas",
  source: "startup",
};

describe.each(dialects)("on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    for (const slug of ["atlas", "harbor"]) await link(app.ctx.data, slug);
    token = await app.mint(roles.agent.scopes);
    const json = { text: "Charts have no more than five colors.", project: "atlas" };
    await app.ask("/api/v1/decisions", {
      json,
      token: await app.mint(roles.admin.scopes, { role: "admin" }),
    });
  });
  afterAll(() => app.close());

  const send = async (input: object, headers: Record<string, string> = place, agent = "claude-code") => {
    const response = await app.ask(`/api/hooks/agents/${agent}`, { json: input, headers, token });
    return { status: response.status, body: await response.json() };
  };
  const runOf = async (id: string) => (await (await app.ask(`/api/v1/runs/${id}`, { token })).json()) as Run;

  test("a session that starts is a run of its repository and its branch, and reads its brief", async () => {
    const { status, body } = await send(start);
    expect(status).toBe(200);
    const { hookEventName, additionalContext } = body.hookSpecificOutput;
    expect(hookEventName).toBe("SessionStart");
    expect(additionalContext).toStartWith("Brief from svc, the shared memory of this project, as of ");
    expect(additionalContext).toContain("Your run is s-1");
    expect(additionalContext).toContain("Charts have no more than five colors.");
    expect(await runOf("s-1")).toMatchObject({
      project: "atlas",
      issue: 12,
      actor: "agent:claude-code",
      status: "running",
    });
  });

  test("hooks that name no place belong to the run of their session, and add nothing to it", async () => {
    await send({ ...start, session_id: "s-2" });
    const prompt = { hook_event_name: "UserPromptSubmit", session_id: "s-2", prompt: "the word zeppelin" };
    expect(await send(prompt, {})).toEqual({ status: 200, body: {} });
    expect(await send({ hook_event_name: "SessionEnd", session_id: "s-2", reason: "logout" }, {})).toEqual({
      status: 200,
      body: {},
    });
    expect(await runOf("s-2")).toMatchObject({ project: "atlas", issue: 12, status: "finished" });
    const { events } = (await (await app.ask("/api/v1/feed?run_id=s-2", { token })).json()) as {
      events: object[];
    };
    expect(events).toHaveLength(3);
    expect(JSON.stringify(events)).not.toContain("zeppelin");
  });

  test("a name of a hook that is no text, and an agent that is no text, are refused or ignored", async () => {
    const hook_event_name = { toString: 1, valueOf: 1 };
    expect(await send({ ...start, session_id: "s-0", hook_event_name })).toEqual({ status: 200, body: {} });
    expect(await send(start, place, "%E0%A4")).toMatchObject({ status: 404 });
  });

  test("a session that ends right after a failure has failed", async () => {
    await send({ ...start, session_id: "s-3" });
    await send({ hook_event_name: "StopFailure", session_id: "s-3", error: "rate_limit" }, {});
    await send({ hook_event_name: "SessionEnd", session_id: "s-3", reason: "other" }, {});
    expect(await runOf("s-3")).toMatchObject({ status: "failed" });
  });

  test("an end without a start, and going on without having asked, are no events", async () => {
    await send({ hook_event_name: "SessionEnd", session_id: "s-9", reason: "other" });
    expect((await app.ask("/api/v1/runs/s-9", { token })).status).toBe(404);
    await send({ ...start, session_id: "s-10" });
    const tool = { hook_event_name: "PostToolUse", session_id: "s-10", tool_name: "Bash" };
    await send(tool, {});
    await send(
      { hook_event_name: "Notification", session_id: "s-10", notification_type: "permission_prompt" },
      {},
    );
    expect(await runOf("s-10")).toMatchObject({ status: "waiting" });
    app.clock.advance(2_000_000);
    await send(tool, {});
    expect(await runOf("s-10")).toMatchObject({ status: "running" });
    const { events } = (await (await app.ask("/api/v1/feed?run_id=s-10", { token })).json()) as {
      events: object[];
    };
    expect(events).toHaveLength(3);
  });

  test("a hook that comes again adds nothing", async () => {
    await send({ ...start, session_id: "s-4" });
    await send({ ...start, session_id: "s-4" });
    const { events } = (await (await app.ask("/api/v1/feed?run_id=s-4", { token })).json()) as {
      events: object[];
    };
    expect(events).toHaveLength(1);
  });

  test("an unknown repository gets no brief, and a sentence that says why", async () => {
    const elsewhere = { "svc-repository": "git@github.com:acme/unknown.git" };
    const { body } = await send({ ...start, session_id: "s-5" }, elsewhere);
    expect(body.hookSpecificOutput.additionalContext).toStartWith(
      "No brief from svc, the shared memory of this project: no project that its token may use is linked to " +
        "the repository acme/unknown.",
    );
    expect((await app.ask("/api/v1/runs/s-5", { token })).status).toBe(404);
  });

  test("a hook of an agent whose JSON does not name it is named by the URL, and answered in its form", async () => {
    const { body } = await send({ session_id: "s-6" }, place, "cursor?hook=sessionStart");
    expect(body.additional_context).toContain("Your run is s-6");
  });

  test("a hook that svc does not know is taken and dropped; an unknown agent and bad bodies are errors", async () => {
    expect(await send({ hook_event_name: "PreCompact", session_id: "s-7" })).toEqual({
      status: 200,
      body: {},
    });
    expect((await send(start, place, "nobody")).status).toBe(404);
    expect((await send([1])).status).toBe(400);
    const anonymous = await app.ask("/api/hooks/agents/claude-code", { json: start });
    expect(anonymous.status).toBe(401);
    const reader = await app.mint(["feed:read"]);
    const denied = await app.ask("/api/hooks/agents/claude-code", { json: start, token: reader });
    expect(denied.status).toBe(403);
  });

  test("a token of one project reports there without a repository", async () => {
    const own = await app.mint(roles.agent.scopes, { projects: ["harbor"] });
    const json = { ...start, session_id: "s-8" };
    expect((await app.ask("/api/hooks/agents/claude-code", { json, token: own })).status).toBe(200);
    expect(await runOf("s-8")).toMatchObject({ project: "harbor" });
  });
});
