/** Where a half approved asset waits: not for who has approved it, and everywhere with what is missing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkReviewPolicies } from "../../../src/api/doctor/review-policies.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import type { Event } from "../../../src/feed/schema.ts";
import { matches } from "../../../src/integrations/webhooks/delivery/source.ts";
import { chatKindOf } from "../../../src/integrations/webhooks/formats/notices/kinds.ts";
import type { AssetList } from "../../../src/library/assets/schema.ts";
import type { ReviewRequestList } from "../../../src/library/review-requests/schema.ts";
import type { ReviewWait } from "../../../src/library/review-requests/wait-schema.ts";
import type { Inbox } from "../../../src/overview/inbox/schema.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { dialects, must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { reviewersOf } from "../../support/review/reviewers.ts";

const need = [
  { role: "design", count: 1 },
  { role: "legal", count: 1 },
];

describe.each(dialects)("a half approved asset on %s", (dialect) => {
  let library: Library;
  let id = "";
  let project = "";
  let ana = "";
  let lee = "";
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    const reviewers = reviewersOf(library);
    project = await reviewers.project(need);
    const person = (name: string, review_role: string) =>
      library.mint(allScopes, { name, review_role, projects: [project] });
    [ana, lee] = [await person("ana", "design"), await person("lee", "legal")];
    await library.plant({ project, title: "Tides", created_by: "agent:codex" });
    library.clock.advance(secondMicros);
    ({ id } = await library.plant({ project, title: "Map", created_by: "agent:codex" }));
    await library.say(`/assets/${id}/review-requests`, { token: ana, json: {} });
    expect((await reviewers.review(id, ana, { decision: "approved" })).status).toBe(200);
  });
  afterAll(() => library.close());

  const say = async <T>(path: string, token: string) => (await library.say<T>(path, { token })).body;

  test("is in the inbox of the others, with what it waits for", async () => {
    const titles = async (token: string) =>
      (await say<Inbox>("/inbox", token)).items.map(({ title, detail }) => `${title}: ${detail}`);
    expect(await titles(ana)).toEqual(["Tides: By codex"]);
    expect(await titles(lee)).toEqual(["Map: By codex, waiting for 1 more: legal", "Tides: By codex"]);
  });

  test("is asked neither of reviewers of another kind nor of who made it, and not counted for them", async () => {
    for (const [name, review_role] of [
      ["pat", "engineering"],
      ["codex", "design"],
    ] as const) {
      const token = await library.mint(allScopes, { name, review_role, projects: [project] });
      const { items, count } = await say<Inbox>("/inbox", token);
      expect([name, items, count]).toEqual([name, [], 0]);
    }
  });

  test("is in the requests and the queue of Today of the others", async () => {
    const requested = async (token: string) =>
      (await say<ReviewRequestList>("/review-requests?of=me", token)).review_requests.map(
        ({ title }) => title,
      );
    expect([await requested(ana), await requested(lee)]).toEqual([[], ["Map"]]);
    const queue = async (token: string) => {
      const { reviews } = await say<Today>("/today", token);
      return [reviews?.count, reviews?.queues.flatMap(({ oldest }) => oldest.map(({ title }) => title))];
    };
    expect([await queue(ana), await queue(lee)]).toEqual([
      [1, ["Tides"]],
      [2, ["Tides", "Map"]],
    ]);
  });

  test("stays pending for who waits, with its approvals", async () => {
    const wait = await say<ReviewWait>(`/assets/${id}/review`, lee);
    const approvals = { have: 1, need: 2, missing: [{ role: "legal", count: 1 }] };
    expect(wait).toMatchObject({ state: "pending", items: [{ status: "pending", approvals }] });
    expect((await say<AssetList>(`/assets?project=${project}&status=pending`, lee)).count).toBe(2);
  });

  test("is told in chats as one of two approvals, and to webhooks neither as approved nor as rejected", async () => {
    const [row] = await library.ctx.data.feed(null, { kind: "review.given", limit: 1 });
    const event = JSON.parse(must(row).wire) as Event;
    expect(await chatKindOf(event)?.notice(library.ctx, event)).toMatchObject({
      ...{ title: "1 of 2 approvals: Map", tone: "waiting" },
      facts: ["Approved by ana", "waiting for 1 more: legal"],
    });
    for (const status of ["approved", "rejected"] as const)
      expect(matches({ status: [status] }, event)).toBe(false);
  });

  test("makes the doctor name agents that can review, and roles that too few tokens have", async () => {
    const levels = async () => (await checkReviewPolicies(library.ctx)).map(({ level }) => level);
    expect(await levels()).toEqual(["ok"]);
    await library.mint(["memory:read", "feed:write", "assets:review"], { name: "robot" });
    await library.ctx.data.atomically((writes) => writes.revokeToken("lee", library.clock.now()));
    const found = (await checkReviewPolicies(library.ctx)).map(({ detail }) => detail);
    expect(found[0]).toStartWith("tokens of agents can review: robot");
    expect(found[1]).toContain(`${project} file (1 legal)`);
  });
});
