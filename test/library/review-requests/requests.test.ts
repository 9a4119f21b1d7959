/** Review requests: who can be asked, what asking writes, and when a request ends. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { fromMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import type { AssetDetail, AssetList } from "../../../src/library/assets/schema.ts";
import type { ReviewRequest, ReviewRequestList } from "../../../src/library/review-requests/schema.ts";
import { dialects, link, must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

describe.each(dialects)("a review request on %s", (dialect) => {
  let library: Library;
  let maria: string;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    await link(library.ctx.data, "borealis");
    maria = await library.mint(["assets:read", "assets:review"], { name: "maria" });
    await library.mint(["assets:read"], { name: "reader" });
    await library.mint(allScopes, { name: "elsewhere", projects: ["borealis"] });
  });
  afterAll(() => library.close());

  const ask = (id: string, json: Record<string, unknown> = {}, token = library.token) =>
    library.say<ReviewRequest>(`/assets/${id}/review-requests`, { json, token });
  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const requested = async () =>
    (await library.ctx.data.feed(null, { kind: "review.requested", limit: 100 })).map(({ wire }) =>
      JSON.parse(wire),
    );

  test("is on the asset and in the feed, which says who is asked, until when and about what", async () => {
    const { id, title, sha256 } = await library.plant({ issue: 12, run_id: "run-7" });
    const due = library.clock.now() + 120 * minuteMicros;
    const question = "Is the depth readable?";
    const { status, body } = await ask(id, {
      ...{ reviewers: ["maria", "reviewer"], due_at: fromMicros(due), question, by: "agent:codex" },
    });
    const request = {
      ...{ asset_id: id, sha256, asked_by: "agent:codex", reviewers: ["maria", "reviewer"], question },
      ...{ due_at: fromMicros(due), created_at: fromMicros(library.clock.now()), reminded_at: null },
      review_url: `http://svc.test/assets/${id}`,
    };
    expect<unknown>([status, body]).toEqual([200, request]);
    expect((await detail(id)).review_request).toEqual(request);
    const [event] = await requested();
    expect(event).toMatchObject({
      ...{ kind: "review.requested", actor: "agent:codex", project: "atlas", issue: 12 },
      url: `http://svc.test/assets/${id}`,
      summary: `Asked maria and reviewer to review ${title}, version 1, by ${fromMicros(due).slice(0, 16).replace("T", " ")} UTC: ${question}`,
    });
  });

  test("is not needed to learn where a person reviews an asset: it says so itself, while it waits", async () => {
    const { body: uploaded } = await library.upload({ project: "atlas" });
    const review_url = `http://svc.test/assets/${uploaded.id}`;
    expect([uploaded.review_url, (await detail(uploaded.id)).review_url]).toEqual([review_url, review_url]);
    const list = await library.say<AssetList>("/assets?project=atlas&status=pending");
    expect(list.body.assets.filter((one) => "review_url" in one)).toEqual([]);
    const { body: reviewed } = await library.review(uploaded.id, { decision: "approved" });
    expect([reviewed, await detail(uploaded.id)].filter((one) => "review_url" in one)).toEqual([]);
  });

  test("is asked once: repeated it writes nothing, and a change is a new event", async () => {
    const { id, title } = await library.plant();
    const first = await ask(id, { reviewers: ["maria"] });
    const count = (await requested()).length;
    expect((await ask(id, { reviewers: ["maria"] })).body).toEqual(first.body);
    expect((await ask(id)).body).toEqual(first.body);
    expect(await requested()).toHaveLength(count);
    expect((await ask(id, { question: "Too dark?" })).body).toMatchObject({
      ...{ reviewers: ["maria"], question: "Too dark?", created_at: first.body.created_at },
    });
    expect((await requested())[0].summary).toBe(`Asked maria to review ${title}, version 1: Too dark?`);
  });

  test("asks only those who can review in the project, and for a time to come", async () => {
    const { id } = await library.plant();
    for (const name of ["nobody", "reader", "elsewhere", "agent"]) {
      const { status, body } = await ask(id, { reviewers: ["maria", name] });
      expect([name, status, body.detail]).toEqual([
        ...[name, 400],
        `reviewers: "${name}" cannot review assets of atlas. Name a token with assets:review, or a role: reviewer, admin.`,
      ]);
    }
    const { status, body } = await ask(id, { due_at: fromMicros(library.clock.now()) });
    expect([status, body.detail]).toEqual([400, "due_at has passed. Give a time in the future."]);
    expect((await detail(id)).review_request).toBeNull();
  });

  test("ends with the review, and is refused after it", async () => {
    const { id } = await library.plant();
    await ask(id, { reviewers: ["maria"] });
    await library.review(id, { decision: "approved" });
    expect((await detail(id)).review_request).toBeNull();
    expect((await ask(id)).status).toBe(409);
  });

  test("ends when a new version replaces the asset, and can be requested again", async () => {
    const { id } = await library.plant();
    await ask(id, { reviewers: ["maria"] });
    const { id: newer } = await library.plant({}, id);
    expect(await library.ctx.data.reviewRequest(id)).toBeNull();
    const refused = await ask(id);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      "This asset is superseded, so there is nothing to ask for. Ask for a review of its newest version.",
    ]);
    expect((await detail(newer)).review_request).toBeNull();
  });

  test("is listed by its due time, for whom it asks", async () => {
    const at = (minutes: number) => fromMicros(library.clock.now() + minutes * minuteMicros);
    const made: Record<string, string> = {};
    for (const [name, json] of Object.entries({
      later: { reviewers: ["maria"], due_at: at(60) },
      sooner: { reviewers: ["maria"], due_at: at(10) },
      everyone: { due_at: at(30) },
      others: { reviewers: ["admin"], due_at: at(5) },
    })) {
      const { id } = await library.plant({ project: "borealis" });
      made[name] = id;
      expect((await ask(id, json)).status).toBe(200);
    }
    const list = async (query: string, token: string) => {
      const { body } = await library.say<ReviewRequestList>(`/review-requests${query}`, { token });
      const names = new Map(Object.entries(made).map(([name, id]) => [id, name]));
      return body.review_requests.flatMap(({ asset_id }) => names.get(asset_id) ?? []);
    };
    expect(await list("", library.token)).toEqual(["others", "sooner", "everyone", "later"]);
    expect(await list("?of=me", maria)).toEqual(["sooner", "everyone", "later"]);
    const limited = await library.mint(allScopes, { projects: ["atlas"] });
    expect(await list("", limited)).toEqual([]);
    expect((await ask(must(made.later), {}, limited)).status).toBe(404);
  });
});
