/** An app with assets, and calls of its tools. */
import { expect } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { localStore } from "../../../src/files/stores/disk/store.ts";
import type { UploadOffer } from "../../../src/library/assets/requests.ts";
import { type Dialect, link, openApp, type TestApp, temporaryFolder, testClock } from "../harness.ts";
import { startRun } from "../memory/runs.ts";
import { type ToolAnswer, toolCall } from "./mcp-clients.ts";

/** The app with a store on disk, the project `atlas` and a token that may do everything. */
export interface Library extends TestApp {
  token: string;
}

export async function openLibrary(dialect: Dialect, env: Record<string, string> = {}): Promise<Library> {
  const folder = await temporaryFolder();
  const store = localStore({ root: folder.path });
  const app = await openApp(dialect, env, testClock(new Date().toISOString()), { store, publicStore: null });
  await link(app.ctx.data, "atlas");
  const token = await app.mint(allScopes, { name: "all" });
  const close = async () => {
    await app.close();
    await folder.close();
  };
  return { ...app, token, close, [Symbol.asyncDispose]: close };
}

export const file = (name = "note.txt", bytes: BlobPart = "some words"): File => new File([bytes], name);

export async function upload(
  { ask, token }: Library,
  fields: Record<string, string>,
  sent = file(),
): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", sent);
  const response = await ask("/api/v1/assets", { method: "POST", body, token });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** PUTs the bytes as the line of the offer does. */
export async function send(
  { ask }: Library,
  { upload_url, headers = {} }: UploadOffer,
  bytes: string,
): Promise<void> {
  const response = await ask(upload_url.slice("http://svc.test".length), {
    method: "PUT",
    body: bytes,
    headers,
  });
  expect(response.ok).toBe(true);
}

/** What each tool is called with to get a right answer. Prepared for each call, with the scopes it needs. */
export const calls: Record<
  string,
  (library: Library) => Promise<Record<string, unknown>> | Record<string, unknown>
> = {
  svc_get_info: () => ({}),
  svc_get_methodology: () => ({}),
  svc_get_feed: () => ({ project: "atlas", limit: 3 }),
  svc_get_project: () => ({ slug: "atlas" }),
  svc_report_run: () => ({
    ...{ action: "start", project: "atlas", run: crypto.randomUUID(), summary: "Draw the coast" },
  }),
  svc_runs: () => ({ project: "atlas" }),
  svc_run: async ({ ctx }) => ({ id: await startRun(ctx.data) }),
  svc_recall: () => ({ query: "maps" }),
  svc_brief: () => ({ project: "atlas", intent: "draw maps" }),
  svc_guidance: () => ({ model: "model-1" }),
  svc_feed: () => ({ project: "atlas" }),
  svc_project: () => ({ slug: "atlas" }),
  svc_claim: () => ({ project: "atlas", subjects: ["#12"], force: true }),
  svc_budgets: () => ({ project: "atlas" }),
  svc_decide: () => ({ project: "atlas", text: `Use globes ${crypto.randomUUID()}` }),
  svc_retire_decision: async ({ ctx }) => {
    const decision = { project: "atlas", text: "Use old maps", source: "cli", source_ref: null };
    const row = { ...decision, actor: "human:zoe", valid_from: ctx.now() };
    return { id: (await ctx.data.atomically((writes) => writes.addDecision(row)))?.id };
  },
  svc_prefer: () => ({ key: "quotes", value: "double" }),
  svc_asset_list: () => ({ project: "atlas" }),
  svc_asset_get: async (library) => ({ id: await upload(library, { project: "atlas" }) }),
  svc_request_review: async (library) => ({ id: await upload(library, { project: "atlas" }) }),
  svc_wait_for_review: async (library) => ({
    ...{ ids: [await upload(library, { project: "atlas" })], timeout_s: 0 },
  }),
  svc_asset_annotate: async (library) => {
    const id = await upload(library, { project: "atlas" });
    const sent = { json: { body: "The logo is cut off" }, token: library.token };
    await library.ask(`/api/v1/assets/${id}/annotations`, sent);
    return { id, n: 1, reply: "It is cut off on purpose" };
  },
  svc_asset_request_upload: () => ({ project: "atlas", filename: "note.txt" }),
  svc_asset_finalize: async (library) => {
    const offer = await offered(library, library.token);
    await send(library, offer, "some words");
    return { id: offer.id, ...offer.finalize_body };
  },
};

/** What is written for a reader is sent once: nothing repeats it as JSON. */
export const textTools = new Set([
  "svc_get_methodology",
  "svc_runs",
  "svc_run",
  "svc_recall",
  "svc_brief",
  "svc_guidance",
  "svc_feed",
  "svc_project",
  "svc_budgets",
  "svc_claim",
]);

export async function request(
  library: Library,
  token: string,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolAnswer> {
  const response = await library.ask("/mcp", { ...toolCall("modern", name, args), token });
  return ((await response.json()) as { result: ToolAnswer }).result;
}

export async function offered(library: Library, token: string): Promise<UploadOffer> {
  const { structuredContent } = await request(library, token, "svc_asset_request_upload", {
    project: "atlas",
    filename: "my note.txt",
  });
  return structuredContent as unknown as UploadOffer;
}
