/** What an agent makes without naming its run belongs to the only running run of its token and project. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { findOwnRun } from "../../../src/feed/runs/join-run.ts";
import type { Run } from "../../../src/feed/runs/schema.ts";
import type { UploadOffer } from "../../../src/library/assets/requests.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { type ToolAnswer, toolCall } from "../../support/agents/mcp-clients.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { link } from "../../support/harness.ts";
import { deployments, type Library, openLibrary } from "../../support/library.ts";

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let token: string;
  let number = 0;
  let session: string;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RUN_TIMEOUT: "1800" });
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());
  beforeEach(async () => {
    session = `session-${++number}`;
    token = await library.mint(
      ["feed:read", "feed:write", "assets:read", "assets:write", "memory:write", "memory:read"],
      { name: `agent-${number}` },
    );
  });

  const report = async (event: object, as = token) => {
    const common = { actor: "agent:codex", project: "atlas", summary: "A session", run_id: session };
    const { status } = await library.say("/events", {
      json: { events: [{ ...common, ...event }] },
      token: as,
    });
    expect(status).toBe(200);
  };
  const start = (event: object = {}, as = token) => report({ kind: "run.started", ...event }, as);
  const hook = (phase: string, key = phase) => ({
    kind: `run.${phase}`,
    dedupe_key: `hook:codex:${session}:${key}`,
  });
  const upload = async (fields: Record<string, string> = {}, as = token): Promise<Asset> => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ project: "atlas", ...fields })) body.set(name, value);
    body.set("file", new File(["some words"], "note.txt"));
    const answer = await library.say("/assets", { method: "POST", body, token: as });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const runOf = async (fields: Record<string, string> = {}) => (await upload(fields)).run_id;
  const runOn = async (id = session) =>
    (await library.say<RunDetail>(`/runs/${id}?project=atlas`, { token })).body;
  const tool = async <T>(name: string, args: object): Promise<T> => {
    const response = await library.ask("/mcp", { ...toolCall("modern", name, { ...args }), token });
    const { result } = (await response.json()) as { result: ToolAnswer };
    expect([result.isError ?? false, result.content]).toEqual([false, expect.anything()]);
    return result.structuredContent as T;
  };

  test("an upload by form, by URL, in pieces and by tool, a decision and a review request belong to it", async () => {
    await start();
    const form = await upload();
    const reserved = (await library.presign({ token, filename: "a.txt" })).body;
    await library.put(reserved, "by URL");
    const presigned = await library.say<Asset>(`/assets/${reserved.id}/finalize`, {
      json: reserved.finalize_body,
      token,
    });
    const tus = tusRequests(library);
    const pieces = await tus.begin(6);
    await tus.patch(pieces.url, 0, "pieces");
    const resumed = await library.say<Asset>(`/assets/${pieces.reserved.id}/finalize`, {
      json: pieces.reserved.finalize_body,
      token,
    });
    const offered = await tool<UploadOffer>("svc_asset_request_upload", {
      project: "atlas",
      filename: "b.txt",
    });
    await library.put(offered, "by tool");
    const finalized = await tool<Asset>("svc_asset_finalize", { id: offered.id, ...offered.finalize_body });
    await tool("svc_decide", { project: "atlas", text: `Decided in ${session}` });
    await tool("svc_request_review", { id: form.id });
    const made = [form, presigned.body, resumed.body, finalized];
    expect(made.map(({ run_id }) => run_id)).toEqual(made.map(() => session));
    const run = await runOn();
    expect(run).toMatchObject({ assets: 4, decisions: 1, decisions_made: [{ run_id: session }] });
    expect(run.assets_made.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
    expect(run.events.at(-1)).toMatchObject({ kind: "review.requested", run_id: session });
  });

  test("a run that is named wins, and stays in the project of what names it", async () => {
    await start();
    await start({ run_id: `other-${session}`, project: "borealis" });
    expect(await runOf()).toBe(session);
    expect(await runOf({ run_id: `other-${session}` })).toBe(`other-${session}`);
    const other = await library.say<Run>(`/runs/other-${session}?project=borealis`, { token });
    expect(other.body).toMatchObject({ project: "borealis", assets: 0 });
  });

  test("there is none before the start, after the end, of another token, project, or a person's session", async () => {
    expect(await runOf()).toBeNull();
    await start();
    const stranger = await library.mint(["assets:write"], { name: `stranger-${number}` });
    expect((await upload({}, stranger)).run_id).toBeNull();
    expect(await runOf({ project: "borealis" })).toBeNull();
    expect(await runOf()).toBe(session);
    const person = { name: `agent-${number}`, source: { via: "session" as const } };
    expect(await findOwnRun(library.ctx.data, library.ctx, person, "atlas")).toBeNull();
    await report({ kind: "run.finished" });
    expect(await runOf()).toBeNull();
    await start();
    await report({ kind: "run.failed" });
    expect(await runOf()).toBeNull();
  });

  test("of two running runs none is joined, but subagents count for the run that started them", async () => {
    await start();
    await start({ run_id: `${session}/a1`, parent_run_id: session });
    expect(await runOf()).toBe(session);
    await start({ run_id: `second-${session}` });
    expect(await runOf()).toBeNull();
    await report({ run_id: `second-${session}`, kind: "run.finished" });
    expect(await runOf()).toBe(session);
    await start({ run_id: null, issue: 7 });
    expect(await runOf()).toBeNull();
  });

  test("a silent run is lost, a session of hooks stays open for a day, and only its hooks end it", async () => {
    await start({ run_id: `plain-${session}` });
    await start(hook("started"));
    await report({ kind: "run.finished", run_id: `plain-${session}` });
    await report({ kind: "run.finished", summary: "I am done" });
    expect(await runOf()).toBe(session);
    library.clock.advance(3_600 * secondMicros);
    expect(await runOf()).toBe(session);
    await start({ run_id: `recent-${session}` });
    expect(await runOf()).toBeNull();
    library.clock.advance(3_600 * secondMicros);
    expect(await runOf()).toBe(session);
    await report(hook("finished"));
    expect(await runOf()).toBeNull();
    await start(hook("started", "again"));
    library.clock.advance(90_000 * secondMicros);
    expect(await runOf()).toBeNull();
  });

  test("its row is the same when it is derived again from its events", async () => {
    await start(hook("started"));
    await report({ kind: "run.finished" });
    const wrong = await library.ctx.data.findInconsistencies();
    expect(wrong.filter(({ kind }) => kind === "runs")).toEqual([]);
    await library.ctx.data.rebuildDerivedRows(["runs"]);
    expect(await runOf()).toBe(session);
  });
});
