/** People are called by their full names where work is filtered and counted, for those who see them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSession, openTestServer, type TestServer } from "../support/test-server.ts";

let site: TestServer;
beforeAll(async () => {
  site = await openTestServer("sqlite", "disk", { SVC_HIDE_PERSONS: "1" });
  const people = [
    ["dana", "Dana Okafor"],
    ["sam", "Sam Lee"],
    ["samlee", "Sam Lee"],
    ["kim", undefined],
  ] as const;
  for (const [id, name] of people)
    await site.api("PUT", `/people/${id}`, {
      ...(name && { name, team: "maps" }),
      link: [`email:${id}@example.com`],
    });
  await site.api("POST", "/events", {
    events: people.map(([id]) => ({
      kind: "run.finished",
      actor: "agent:codex",
      project: "atlas",
      summary: "Drew the coast",
      run_id: `run-${id}`,
      email: `${id}@example.com`,
      cost_equiv: 2,
    })),
  });
  await site.api("PUT", "/budgets", { amount: 20, person: "dana", period: "month" });
});
afterAll(() => site[Symbol.asyncDispose]());

async function pageFor(token: string, path: string): Promise<string> {
  const [session] = await openSession(site.server.origin, token);
  const headers = { cookie: `${session?.name}=${session?.value}` };
  return (await fetch(site.server.origin + path, { headers })).text();
}

test("in the filters of runs, tasks and the feed, with their chips", async () => {
  for (const path of ["/runs", "/tasks?as=table", "/feed?view=events"]) {
    const page = await pageFor(site.token, `${path}${path.includes("?") ? "&" : "?"}person=dana`);
    expect([path, page.includes("Person:"), page.includes("<bdi>Dana Okafor</bdi>")]).toEqual([
      path,
      true,
      true,
    ]);
  }
  const page = await pageFor(site.token, "/runs");
  expect(page).toMatch(/value="dana"[^>]*>Dana Okafor</);
  expect(page).toMatch(/value="kim"[^>]*>kim</);
  expect(page).toMatch(/value="samlee"[^>]*>Sam Lee \(samlee\)</);
});

test("in usage by person and its budgets", async () => {
  const page = await pageFor(site.token, "/usage?by=person");
  expect(page).toContain(">Dana Okafor</a>");
  expect(page).toContain("<strong>Dana Okafor, month</strong>");
});

test("and not for those from whom they are hidden", async () => {
  const reader = await site.mint("reader", ["feed:read"]);
  for (const path of ["/runs", "/runs?person=dana", "/usage?by=person", "/feed?person=dana"]) {
    const page = await pageFor(reader, path);
    expect([path, page.includes("Okafor"), page.includes("Sam Lee")]).toEqual([path, false, false]);
  }
});
