/** One asset: its versions, its task, and a library without stores. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { AssetDetail, AssetList } from "../../../src/library/assets/schema.ts";
import type { NewAsset } from "../../../src/library/assets/versions.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

describe.each(deployments)("an asset on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
  });
  afterAll(() => library.close());

  const list = async (query = "", token = library.token) => {
    const { status, body } = await library.say<AssetList>(`/assets${query}`, { token });
    expect([query, status]).toEqual([query, 200]);
    expect(body.count).toBe(body.assets.length);
    return body;
  };

  test("returns one asset with its versions, its task and URLs that are valid for an hour", async () => {
    const first = (await library.upload({ project: "atlas", issue: "12" }, file("a.txt", "one"))).body;
    const { id } = (
      await library.upload({ project: "atlas", replaces: first.id, by: "agent:codex" }, file("b.txt", "two"))
    ).body;
    const { body } = await library.say<AssetDetail>(`/assets/${id}`);
    expect<unknown>(body).toMatchObject({
      id,
      version: 2,
      parent_id: first.id,
      task_url: "https://github.com/acme/atlas/issues/12",
    });
    const version = (number: number, status: string, created_by: string) => ({
      ...{
        version: number,
        status,
        created_by,
        verdict: null,
        reviewed_by: null,
        thumb_url: null,
        created_at: fromMicros(library.clock.now()),
      },
    });
    expect<unknown>(body.versions).toEqual([
      { id: first.id, ...version(1, "superseded", "token:tester") },
      { id, ...version(2, "pending", "agent:codex") },
    ]);
    library.clock.advance(3_599 * secondMicros);
    expect(await (await library.fetch(body.url)).text()).toBe("two");
    library.clock.advance(400 * secondMicros);
    expect((await library.fetch(body.url)).status).toBe(403);
    for (const unknown of [
      "01KJMMA2G04TRJQTGZ9SY6NSVZ",
      "x",
      "__proto__",
      "constructor",
      id.toLowerCase(),
      `${id}0`,
      "%2e%2e",
      "a%00b",
    ])
      expect([unknown, [400, 404].includes((await library.say(`/assets/${unknown}`)).status)]).toEqual([
        unknown,
        true,
      ]);
  });

  test.each([
    [{ issue: 12, pr: 34 }, "https://github.com/acme/atlas/pull/34"],
    [{ issue: 12 }, "https://github.com/acme/atlas/issues/12"],
    [{}, null],
  ])("says of the task %j that it is at %p", async (task, url) => {
    const { id } = await library.plant(task);
    expect((await library.say<AssetDetail>(`/assets/${id}`)).body.task_url).toBe(url);
  });

  test("without stores is readable, and answers writes with a 501, or 401 and 403 without the scope", async () => {
    const { id } = await library.plant({ status: "approved" } as Partial<NewAsset>);
    await library.review(id, { decision: "approved" });
    const { store, publicStore } = library;
    Object.assign(library.ctx, { store: null, publicStore: null });
    const none = { url: null, thumb_url: null, bundle_url: null };
    expect((await library.say(`/assets/${id}`)).body).toMatchObject({ id, ...none });
    expect((await list("?limit=200")).assets.every(({ url }) => url === null)).toBe(true);
    expect((await library.review(id, { decision: "approved", note: "Still." })).status).toBe(200);
    const form = () => {
      const body = new FormData();
      body.append("file", file());
      return { method: "POST", body };
    };
    const needStore = [
      ["/assets", form()],
      ["/assets", { json: { presign: true } }],
      [`/assets/${id}/finalize`, { json: {} }],
      [`/assets/${id}/publish`, { method: "POST" }],
    ] as const;
    const reader = await library.mint(["assets:read"]);
    for (const [path, init] of needStore) {
      const answers = [library.token, "", reader].map(
        async (token) => (await library.say(path, { ...init, token })).status,
      );
      expect([path, await Promise.all(answers)]).toEqual([path, [501, 401, 403]]);
    }
    Object.assign(library.ctx, { store });
    expect((await library.publish(id)).status).toBe(501);
    expect((await library.upload({ project: "atlas" })).status).toBe(201);
    Object.assign(library.ctx, { publicStore });
  });
});

test("a task on GitHub Enterprise links to it", async () => {
  await using library = await openLibrary("sqlite", "disk", {
    SVC_GITHUB_API_URL: "https://code.example/api/v3",
  });
  const { id } = await library.plant({ pr: 7 });
  expect((await library.say<AssetDetail>(`/assets/${id}`)).body.task_url).toBe(
    "https://code.example/acme/atlas/pull/7",
  );
});
