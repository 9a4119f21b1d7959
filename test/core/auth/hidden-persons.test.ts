/** With SVC_HIDE_PERSONS nothing that leaves svc names a person, except to admins, and to each their own. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { httpOperations, toolOperations } from "../../../src/api/operations/index.ts";
import { actorName } from "../../../src/core/auth/actor-name.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { readConfig } from "../../../src/core/config.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import type { FeedPage } from "../../../src/feed/schema.ts";
import { loadContent } from "../../../src/integrations/email/content.ts";
import { startDelivery } from "../../../src/integrations/webhooks/delivery/delivery.ts";
import { formats } from "../../../src/integrations/webhooks/formats/formats.ts";
import { pageNames } from "../../../src/web/routes.ts";
import { toolCall } from "../../support/agents/mcp-clients.ts";
import { signIn } from "../../support/browser/site.ts";
import { must, type TestRequest, until } from "../../support/harness.ts";
import { documents } from "../../support/http/public-documents.ts";
import { openScopeMatrix } from "../../support/http/scope-callers.ts";
import { type Fresh, pathFor, requests, toolArguments } from "../../support/http/scope-requests.ts";
import type { Library } from "../../support/library.ts";
import { startReceiver } from "../../support/webhooks/event-receiver.ts";
import { addWebhooks, newWebhook } from "../../support/webhooks/webhook-rows.ts";

/** Zelda's person, token and login; Quentin, who acts by name alone; and Mara, who made what the others share. */
const names = /zelda|quentin|human(:|%3A)mara/i;

let library: Library;
let shared: Fresh;
/** May do all but be an admin. */
let token: string;
let own: string;
let admin: string;

const event = (kind: string, fields: object) => ({
  ...{ kind, actor: "human:quentin", summary: "Step", project: "atlas", issue: 7, tokens_in: 10 },
  ...fields,
});

beforeAll(async () => {
  ({ library, shared } = await openScopeMatrix("sqlite", "disk"));
  const { ctx, clock } = library;
  Object.assign(ctx.config, { hidePersons: true });
  await ctx.data.atomically(async (writes) => {
    const row = { name: "Zelda Quill", team: "maps", created_at: clock.now(), removed_at: null };
    await writes.savePerson({ id: "zelda", ...row });
    await writes.linkIdentities("zelda", ["github:zelda-on-forge"]);
  });
  const some = allScopes.filter((scope) => scope !== "budgets:write");
  token = await library.mint(some, { name: "reader" });
  own = await library.mint(some, { name: "zelda-laptop", owner: "zelda" });
  admin = await library.mint(allScopes, { name: "lead" });
  await library.mint(["assets:read", "assets:review"], { name: "quentin-reviews" });
  const by = "human:quentin";
  const ask = async (path: string, json: object, method = "POST", as = own) => {
    const response = await library.ask(`/api/v1${path}`, { token: as, method, json });
    if (!response.ok) expect(await response.text()).toBe("");
  };
  const run_id = await shared.run();
  await ask("/events", {
    events: [
      event("step.usage", { run_id, actor: "bot:zelda-laptop", cost_equiv: 1 }),
      event("run.started", { run_id: "lost" }),
      event("run.started", { run_id: "agent", actor: "bot:zelda-laptop" }),
      event("issue.opened", { actor: "human:zelda-on-forge", summary: "Draw the coast" }),
    ],
  });
  const pending = await shared.pending();
  const rejected = (await library.plant({ project: "atlas", title: "Coast" })).id;
  await ask(`/assets/${pending}/annotations`, { body: "Too dark", by });
  await ask(`/assets/${rejected}/review`, { decision: "rejected", note: "Lighter", by }, "PUT");
  const reviewers = ["quentin-reviews"];
  await ask(`/assets/${pending}/review-requests`, { reviewers, by, due_at: "2027-01-01T00:00:00Z" });
  await ask("/decisions", { project: "atlas", text: "Maps are SVG files", by });
  await ask("/preferences", { key: "tone", value: "calm", project: "atlas", by }, "PUT");
  await ask("/budgets", { project: "atlas", period: "month", amount: 9, by }, "PUT", admin);
  await ask("/budgets", { person: "zelda", period: "month", amount: 1.5, by }, "PUT", admin);
  await ask("/projects/atlas/checklists/html", { items: [{ text: "Sharp" }], by }, "PUT");
  await ask(`/assets/${pending}/shares`, { recipient: "Ana" });
  clock.advance(60 * minuteMicros);
  await ask("/events", {
    events: [event("run.failed", { run_id, dedupe_key: "failed" }), event("step.usage", { run_id: "last" })],
  });
});
afterAll(() => library[Symbol.asyncDispose]());

const ask = (path: string, as = token, init: TestRequest = {}) =>
  library.ask(`/api/v1${path}`, { ...init, token: as });

async function find(leaks: string[], what: string, response: Response): Promise<void> {
  const text = await response.text();
  const [, found] = /(.{0,80}(?:zelda|quentin|human(?::|%3A)mara).{0,60})/i.exec(text) ?? [];
  if (names.test(text)) leaks.push(`${what} ${response.status}: ${found}`);
}

test("no operation, tool, page or document names a person", async () => {
  const leaks: string[] = [];
  for (const { id, writes, http } of httpOperations) {
    if (writes || http.stream || id === "waitForReview") continue;
    if (id === "search") continue; // finds examples of the documentation; below are others
    const { path, ...init } = await must(requests[id])(shared);
    await find(leaks, id, await ask(path, token, init));
  }
  const others = [
    ...["person", "team", "actor", "run", "task"].map((by) => `/usage?by=${by}`),
    ...["/feed?limit=200", "/runs/lost?project=atlas", "/runs/agent?project=atlas"],
    ...["/search?query=quentin", "/search?query=zelda-laptop", "/search?query=lost", "/search?query=agent"],
    ...["/assets?query=coast", "/search?query=coast", "/recall?query=lighter", "/tasks?sort=cost"],
  ];
  for (const path of others) await find(leaks, path, await ask(path));
  for (const path of ["/usage?by=person", "/usage?by=actor", "/runs", "/tasks"])
    await find(leaks, `${path} as CSV`, await ask(path, token, { headers: { accept: "text/csv" } }));
  for (const { tool, writes } of toolOperations) {
    if (writes) continue;
    const args = await must(toolArguments[tool.name])(shared);
    await find(
      leaks,
      tool.name,
      await library.ask("/mcp", { ...toolCall("modern", tool.name, args), token }),
    );
  }
  const { cookie } = await signIn(library, token);
  const headers = { cookie, accept: "text/html" };
  const pages = [
    ...Object.keys(pageNames),
    ...["/usage?by=person", "/usage?by=actor", "/usage.csv?by=actor", "/feed?group=none", "/runs/lost"],
    ...["/inbox", "/search?query=coast", "/assets?status=rejected"],
  ].filter((path) => path !== "/docs/:page"); // whose examples name people
  for (const path of pages)
    await find(leaks, path, await library.ask(await pathFor(path, shared), { headers }));
  for (const [path] of documents) {
    const text = await (await library.ask(path)).text();
    if (/zelda|quentin/i.test(text)) leaks.push(path);
  }
  expect(leaks).toEqual([]);
});

test("no answer to a write, and no problem, names a person", async () => {
  const leaks: string[] = [];
  for (const { id, writes, http, token: needs } of httpOperations) {
    if (!writes || http.stream || needs === "admin") continue;
    const { path, ...init } = await must(requests[id])(shared);
    await find(leaks, id, await ask(path, token, init));
  }
  for (const { tool, writes } of toolOperations) {
    if (!writes) continue;
    const args = await must(toolArguments[tool.name])(shared);
    await find(
      leaks,
      tool.name,
      await library.ask("/mcp", { ...toolCall("modern", tool.name, args), token }),
    );
  }
  expect(leaks).toEqual([]);
});

test("a pseudonym tells an actor apart and filters, and a name that is hidden finds nothing", async () => {
  const feedOf = async (query: string, as = token) =>
    ((await (await ask(`/feed?limit=200${query}`, as)).json()) as FeedPage).events;
  const actors = (events: FeedPage["events"]) => [...new Set(events.map(({ actor }) => actor))];
  const failed = must((await feedOf("&kind=run.failed"))[0]);
  expect(failed.actor).toMatch(/^human:person-[a-z2-9]{6}$/);
  const own = await feedOf(`&actor=${failed.actor}`);
  expect([actors(own), own.length > 3]).toEqual([[failed.actor], true]);
  expect(await feedOf("&actor=human:quentin")).toEqual([]);
  expect(await feedOf("&actor=bot:zelda-laptop")).toEqual([]);
  const search = async (name: string) => (await ask(`/search?query=${name}`)).text();
  expect(await search("quentin")).not.toContain("person-");
  expect(await search(actorName(failed.actor))).toContain(`What ${failed.actor} did`);
  const page = await (await ask(`/runs?actor=${failed.actor}`)).json();
  expect((page as { runs: { actor: string }[] }).runs.map(({ actor }) => actor)).toContain(failed.actor);
});

test("a filter by a hidden person finds what one by no person finds, on every surface", async () => {
  // zelda has events, runs, a task and costs; nobody is called yuri
  const lists = ["/feed", "/runs", "/tasks", "/usage", "/usage?by=run", "/usage?by=person", "/usage?by=team"];
  const answer = async (path: string, as: string) => (await ask(path, as)).text();
  const of = (path: string, person: string) => `${path}${path.includes("?") ? "&" : "?"}person=${person}`;
  for (const path of lists) {
    const known = await answer(of(path, "zelda"), token);
    expect([path, known]).toEqual([path, await answer(of(path, "yuri"), token)]);
    expect([path, known]).not.toEqual([path, await answer(of(path, "zelda"), own)]);
    expect([path, await answer(of(path, "zelda"), admin)]).not.toEqual([path, known]);
  }
  const { cookie } = await signIn(library, token);
  const page = async (path: string, person: string) => {
    const response = await library.ask(of(path, person), { headers: { cookie, accept: "text/html" } });
    return (await response.text()).replaceAll(person, "x").replace(/(csrf|nonce|state)[^>]*>/g, "");
  };
  for (const path of ["/feed", "/feed?view=events", "/runs", "/tasks?as=table", "/usage?by=project"])
    expect([path, await page(path, "zelda")]).toEqual([path, await page(path, "yuri")]);
});

test("each person sees their own, and admins see all", async () => {
  const feed = async (as: string) => (await ask("/feed?limit=200", as)).text();
  expect(await feed(own)).toMatch(/bot:zelda-laptop.*human:zelda-on-forge/);
  expect(await feed(own)).toContain('"person":"zelda"');
  expect(await feed(own)).not.toContain("quentin");
  expect(await feed(admin)).toMatch(/human:quentin.*bot:zelda-laptop/);
  expect(await (await ask("/people", admin)).text()).toContain("Zelda Quill");
  const budgets = async (as: string) => (await ask("/budgets", as)).text();
  for (const as of [own, admin]) expect(await budgets(as)).toMatch(/"person":"zelda".*"amount":1.5/);
  expect(await budgets(token)).not.toContain('"amount":1.5');
});

test("no stream names a person, except to admins", async () => {
  const stream = async (reader: string) => {
    const abort = new AbortController();
    const path = "/api/v1/feed/stream?after=2020-01-01T00:00:00Z";
    const response = await library.ask(path, { token: reader, signal: abort.signal });
    const frames = must(response.body).getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes('"run_id":"last"')) text += decoder.decode((await frames.read()).value);
    abort.abort();
    await frames.cancel().catch(() => {});
    return text;
  };
  expect(await stream(token)).not.toMatch(names);
  expect(await stream(admin)).toMatch(names);
});

test("webhooks, chats and mails name no one, also of an admin", async () => {
  const receiver = startReceiver();
  const { ctx } = library;
  Object.assign(ctx.config, { webhookAllow: readConfig({ SVC_WEBHOOK_ALLOW: "127.0.0.1" }).webhookAllow });
  await addWebhooks(ctx.data, [newWebhook("all", { url: receiver.urlOf("all") })]);
  const delivery = startDelivery(ctx);
  const by = "human:quentin";
  const { id } = await library.plant({ project: "atlas", title: "Bay", created_by: by });
  await ask(`/assets/${id}/review-requests`, own, { json: { reviewers: ["quentin-reviews"], by } });
  await ask(`/assets/${id}/review`, own, { method: "PUT", json: { decision: "rejected", note: "No", by } });
  const sent = () => receiver.received.map(({ event }) => event);
  await until(() => sent().some(({ kind }) => kind === "asset.reviewed"), "the review was sent");
  await delivery.stop();
  await receiver.close();
  const bodies = receiver.received.map(({ text }) => text).join();
  expect(bodies).toContain("human:person-");
  library.clock.advance(60 * minuteMicros);
  const plan = await formats.mattermost.plan(ctx, sent(), { lastSentAt: null });
  const message = JSON.stringify(plan);
  expect(message).toMatch(/By human:person/);
  expect(bodies + message).not.toMatch(names);
  const [from, to] = [0, library.clock.now() + 1];
  const content = await loadContent(ctx, adminCaller, { project: null, period: "daily", from, to });
  expect(JSON.stringify(content)).toContain("human:person-");
  expect(JSON.stringify(content)).not.toMatch(names);
});
