/** Waits for reviews as tasks (SEP-2663), for clients that declare the extension. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { envelope, mcpRequest } from "../../support/agents/mcp-clients.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

let library: Library;
let token: string;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
  token = await library.mint(["assets:read"], { name: "waiter", projects: ["atlas"] });
});
afterAll(() => library.close());

const extension = { "io.modelcontextprotocol/tasks": {} };

interface Task {
  resultType: string;
  taskId: string;
  status: string;
  statusMessage?: string;
  ttlMs: number;
  result?: { structuredContent: { state: string; items: { status: string; note?: string }[] } };
  structuredContent?: { state: string };
}

async function ask(method: string, params: Record<string, unknown>, options: { declares?: boolean } = {}) {
  const extensions = options.declares === false ? {} : extension;
  const meta = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { extensions } };
  const name = params.taskId ?? params.name;
  const request = mcpRequest("modern", method, params, { "mcp-name": String(name) });
  const { json } = request as { json: { params: object } };
  const response = await library.ask("/mcp", {
    ...request,
    json: { ...json, params: { ...json.params, _meta: meta } },
    token,
  });
  return (await response.json()) as { result: Task; error?: { code: number; message: string } };
}

const wait = (ids: string[], options?: { declares?: boolean; timeout_s?: number }) =>
  ask(
    "tools/call",
    { name: "svc_wait_for_review", arguments: { ids, timeout_s: options?.timeout_s ?? 1 } },
    options,
  );

test("a wait is a task until a person decides, and its result is the review", async () => {
  const { id } = await library.plant();
  const { result: started } = await wait([id]);
  expect(started).toMatchObject({ resultType: "task", status: "working", ttlMs: 604_800_000 });
  expect(started.statusMessage).toContain(`/assets/${id}`);
  const { taskId } = started;
  const working = await ask("tasks/get", { taskId });
  expect(working.result).toMatchObject({ resultType: "complete", taskId, status: "working" });
  expect(working.result.result).toBeUndefined();
  expect((await ask("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  await library.review(id, { decision: "rejected", note: "Too dark." });
  const { result: done } = await ask("tasks/get", { taskId });
  expect(done).toMatchObject({ resultType: "complete", taskId, status: "completed" });
  const { state, items } = must(done.result).structuredContent;
  expect([state, items[0]?.status]).toEqual(["decided", "rejected"]);
  expect(JSON.stringify(done.result)).toContain("Too dark.");
});

test("what is decided already, or must not wait, is an ordinary result", async () => {
  const { id } = await library.plant();
  expect((await wait([id], { timeout_s: 0 })).result).toMatchObject({
    structuredContent: { state: "pending" },
  });
  await library.review(id, { decision: "approved" });
  expect((await wait([id])).result).toMatchObject({
    resultType: "complete",
    structuredContent: { state: "decided" },
  });
});

test("only clients that declare tasks get them or ask for them", async () => {
  const { id } = await library.plant();
  const { result } = await wait([id], { declares: false });
  expect(result).toMatchObject({ resultType: "complete", structuredContent: { state: "pending" } });
  const { taskId } = (await wait([id])).result;
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"])
    expect((await ask(method, { taskId }, { declares: false })).error?.code).toBe(-32021);
});

test("an id that is changed, or has expired, is unknown; one of another project shows nothing", async () => {
  const { id } = await library.plant();
  const { taskId } = (await wait([id])).result;
  for (const wrong of [`x${taskId}`, `${taskId}x`, "nope", "."])
    expect((await ask("tasks/get", { taskId: wrong })).error?.code).toBe(-32602);
  const all = token;
  token = await library.mint(["assets:read"], { name: "other", projects: ["borealis"] });
  const { result } = await ask("tasks/get", { taskId });
  expect(result).toMatchObject({ status: "completed", result: { isError: true } });
  expect(JSON.stringify(result.result)).not.toContain("review_url");
  token = all;
  library.clock.advance(8 * 86_400_000_000);
  expect((await ask("tasks/get", { taskId })).error?.message).toContain("has expired");
});
