/** Subscriptions to assets, progress of a wait, and its two tools, by the official clients. */
import { describe, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import { parkedTotal } from "../../../src/library/review-requests/review-changes.ts";
import {
  connectHttp,
  connectStdio,
  generations,
  outsideDataTags,
  type ToolAnswer,
  textOf,
} from "../../support/agents/mcp-clients.ts";
import { linkIn, migratedDatabase, program, temporaryFolder, until } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";

const uriOf = (id: string): string => `svc://assets/${id}`;

function updatesOf(client: Client): string[] {
  const updates: string[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === "notifications/resources/updated") updates.push(String(params?.uri));
  };
  return updates;
}

describe("over HTTP", () => {
  test("a subscription tells of its assets that are reviewed or replaced, and ends with the token", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const token = await library.mint(["assets:read"], { name: "watcher", projects: ["atlas"] });
    const [first, second, other] = [
      await library.plant(),
      await library.plant(),
      await library.plant({ project: "borealis" }),
    ].map(({ id }) => id) as [string, string, string];
    await using connected = await connectHttp("client 2, 2026-07-28", library.listen(), token);
    const updates = updatesOf(connected.client);
    const uris = [first, second, other].map(uriOf);
    const subscription = await connected.client.listen({ resourceSubscriptions: uris });
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uriOf(first), uriOf(second)] });
    await library.review(other, { decision: "approved" });
    await library.review(first, { decision: "approved" });
    await until(() => updates.length === 1, "the review is told");
    await library.plant({}, second);
    await until(() => updates.length === 2, "the new version is told");
    expect(updates).toEqual([uriOf(first), uriOf(second)]);
    await library.ctx.data.atomically((writes) => writes.revokeToken("watcher", library.clock.now()));
    await library.review(first, { decision: "rejected", note: "Too dark." });
    await subscription.closed;
    expect([updates.length, parkedTotal(library.ctx.feedNotifier)]).toEqual([2, 0]);
  });

  test("revisions with sessions do not offer subscriptions, as each request stands alone", async () => {
    await using library = await openLibrary("sqlite", "disk");
    await using connected = await connectHttp("client 2, 2025-11-25", library.listen(), library.token);
    expect(connected.client.getServerCapabilities()?.resources).toEqual({});
  });

  test.each(generations)("%s asks for a review and waits for it", async (generation) => {
    await using library = await openLibrary("sqlite", "disk");
    const token = await library.mint(["assets:read", "assets:write"]);
    const { id } = await library.plant();
    await using connected = await connectHttp(generation, library.listen(), token);
    const call = async (name: string, args: Record<string, unknown>) =>
      (await connected.client.callTool({ name, arguments: args })) as unknown as ToolAnswer;
    const asked = await call("svc_request_review", { id, reviewers: ["reviewer"] });
    expect(asked.structuredContent).toMatchObject({ asset_id: id, reviewers: ["reviewer"] });
    const waiting = call("svc_wait_for_review", { ids: [id] });
    await until(() => parkedTotal(library.ctx.feedNotifier) === 1, "it is parked");
    await library.review(id, { decision: "approved" });
    const answer = await waiting;
    expect(answer.structuredContent).toMatchObject({ state: "decided", next: "Approved. Go on." });
    expect(outsideDataTags(textOf(answer))).toBe("\n\nApproved. Go on.");
  });
});

describe("over standard input and output", () => {
  test.each(generations)("%s subscribes to an asset", async (generation) => {
    await using database = await migratedDatabase("sqlite");
    await using folder = await temporaryFolder();
    const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path };
    await linkIn(database);
    const file = import.meta.path;
    const push = await program(["asset", "push", file, "--project", "atlas", "--json"], env);
    const { id } = JSON.parse(push.output) as { id: string };
    await using connected = await connectStdio(generation, env);
    const updates = updatesOf(connected.client);
    if (generation === "client 2, 2026-07-28")
      await connected.client.listen({ resourceSubscriptions: [uriOf(id)] });
    else await connected.client.subscribeResource({ uri: uriOf(id) });
    await program(["asset", "review", id, "approved"], env); // by another process
    await until(() => updates.length > 0, "the review is told");
    expect(updates).toEqual([uriOf(id)]);
  });
});
