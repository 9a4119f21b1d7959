/** Annotations over the API: adding, listing, drafts, states and limits, on both databases. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Annotation, AnnotationList } from "../../../src/library/annotations/schema.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { dialects } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

describe.each(dialects)("annotations on %s", (dialect) => {
  let library: Library;
  let maria: string;
  let agent: string;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    maria = await library.mint(["assets:read", "assets:review"], { name: "maria" });
    agent = await library.mint(["assets:read", "assets:write"], { name: "codex" });
  });
  afterAll(() => library.close());

  const add = (id: string, json: object, token = maria) =>
    library.say<Annotation>(`/assets/${id}/annotations`, { json, token });
  const list = async (id: string, query = "", token = maria) =>
    (await library.say<AnnotationList>(`/assets/${id}/annotations${query}`, { token })).body;
  const change = (id: string, json: object, token = maria) =>
    library.say<Annotation>(`/annotations/${id}`, { json, token });
  const respond = (id: string, json: object, token = agent) =>
    library.say<AnnotationList>(`/assets/${id}/annotations/respond`, { json, token });
  const numbers = ({ annotations }: Pick<AnnotationList, "annotations">) => annotations.map(({ n }) => n);

  test("are bound to the file they describe, and numbered for all versions together", async () => {
    const one = await library.plant({ bytes: "version one" });
    const target = { shape: "point", x: 1800, y: 7400 };
    const first = await add(one.id, { body: "The logo is cut off", target, sha256: one.sha256 });
    expect([first.status, first.body]).toEqual([
      201,
      expect.objectContaining({
        ...{ n: 1, asset_id: one.id, version: 1, sha256: one.sha256, target, weight: "must", origin: "api" },
        ...{ state: "open", by: "token:maria", parent_id: null, addressed_in: null, reopened: 0 },
        text: "1. [must] lower left (x 18 %, y 74 %): The logo is cut off",
      }),
    ]);
    const other = await add(one.id, { body: "x", sha256: "0".repeat(64) });
    expect([other.status, other.body.detail]).toEqual([
      409,
      expect.stringContaining("sha256 does not match"),
    ]);
    const two = await library.plant({ bytes: "version two" }, one.id);
    expect((await add(one.id, { body: "Late" })).body.detail).toContain("Annotate the new version");
    expect((await add(two.id, { body: "Too loud", weight: "nit" })).body).toMatchObject({ n: 2, version: 2 });
    expect(numbers(await list(two.id))).toEqual([2]);
    expect(numbers(await list(two.id, "?scope=chain"))).toEqual([1, 2]);
  });

  test("replies have the number of their thread, follow it, and take no place", async () => {
    const { id } = await library.plant();
    const [first, second] = [(await add(id, { body: "One" })).body, (await add(id, { body: "Two" })).body];
    const reply = (await add(id, { body: "Where?", parent_id: first.id })).body;
    expect(reply).toMatchObject({ n: 1, parent_id: first.id, text: "1. reply: Where?" });
    const deeper = (await add(id, { body: "There", parent_id: reply.id })).body;
    expect(deeper.parent_id).toBe(first.id);
    expect((await list(id)).annotations.map(({ body }) => body)).toEqual(["One", "Where?", "There", "Two"]);
    expect((await list(id, "?scope=open")).annotations.map(({ body }) => body)).toEqual([
      "One",
      "Where?",
      "There",
      "Two",
    ]);
    const target = { page: 1 };
    expect((await add(id, { body: "x", parent_id: first.id, target })).status).toBe(400);
    const elsewhere = await library.plant();
    expect((await add(elsewhere.id, { body: "x", parent_id: second.id })).status).toBe(404);
  });

  test("drafts exist only for their author, in every list and by id, until they are opened", async () => {
    const { id } = await library.plant();
    const draft = (await add(id, { body: "A secret thought", draft: true })).body;
    expect(draft.state).toBe("draft");
    const reply = (await add(id, { body: "More of it", draft: true, parent_id: draft.id })).body;
    const admin = await library.mint(["assets:read", "assets:write", "assets:review"], { name: "admin" });
    const seen = async (token: string) => [
      ...(await list(id, "", token)).annotations,
      ...(await list(id, "?scope=chain", token)).annotations,
      ...(await list(id, "?scope=open", token)).annotations,
      ...(await library.say<AssetDetail>(`/assets/${id}`, { token })).body.annotations,
    ];
    expect((await seen(maria)).map(({ n }) => n)).toEqual([1, 1, 1, 1]);
    expect(await seen(admin)).toEqual([]);
    for (const to of [draft.id, reply.id])
      expect((await change(to, { state: "open" }, admin)).status).toBe(404);
    expect((await add(id, { body: "x", parent_id: draft.id }, admin)).status).toBe(404);
    expect((await respond(id, { n: 1, state: "addressed" })).status).toBe(404);
    expect(JSON.stringify(await library.events())).not.toContain("secret");
    const target = { t_ms: 500 };
    expect((await change(draft.id, { body: "Said", weight: "should", target })).body).toMatchObject({
      text: "1. [should] 00:00.500: Said",
    });
    expect((await change(draft.id, { state: "open" })).body).toMatchObject({
      state: "open",
      state_by: "token:maria",
    });
    expect((await seen(admin)).map(({ text }) => text)).toEqual(Array(4).fill("1. [should] 00:00.500: Said"));
    expect((await change(draft.id, { body: "Other words" })).status).toBe(409);
    expect((await change(reply.id, { state: "withdrawn" })).status).toBe(200);
    expect((await change(reply.id, { state: "open" })).status).toBe(404);
  });

  test("an agent says addressed at most, on a newer version; a person honours, reopens or withdraws", async () => {
    const one = await library.plant();
    for (const body of ["One", "Two", "Three"]) await add(one.id, { body });
    const early = await respond(one.id, { n: 1, state: "addressed" });
    expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining("Upload a version")]);
    const two = await library.plant({}, one.id);
    const marked = await respond(two.id, { n: [1, 2], state: "addressed", by: "agent:codex" });
    expect(marked.body.annotations).toEqual(
      [1, 2].map((n) =>
        expect.objectContaining({ n, state: "addressed", addressed_in: two.id, state_by: "agent:codex" }),
      ),
    );
    const replied = await respond(two.id, { n: 3, reply: "Is it not meant so?" });
    expect(replied.body.annotations.at(-1)).toMatchObject({
      n: 3,
      version: 2,
      text: "3. reply: Is it not meant so?",
    });
    for (const state of ["open", "honoured", "withdrawn"])
      expect((await respond(two.id, { n: 1, state })).status).toBe(400);
    const [first, second, third] = (await list(one.id)).annotations as [Annotation, Annotation, Annotation];
    expect((await change(first.id, { state: "honoured" }, agent)).status).toBe(403);
    expect((await change(first.id, { state: "honoured" })).body).toMatchObject({ honoured_version: 2 });
    expect((await change(second.id, { state: "open" })).body).toMatchObject({
      ...{ state: "open", reopened: 1, addressed_in: two.id },
      text: "2. [must] from v1, reopened, whole asset: Two",
    });
    expect((await change(third.id, { state: "withdrawn" })).body.state).toBe("withdrawn");
    expect((await respond(two.id, { n: 1, state: "addressed" })).status).toBe(409);
    expect((await list(two.id, "?scope=open")).annotations.map(({ text }) => text)).toEqual([
      "2. [must] from v1, reopened, whole asset: Two",
    ]);
    const events = (await library.events()).filter(({ url }) => String(url).endsWith(two.id));
    expect(events.map(({ kind, summary }) => `${kind}: ${summary}`)).toEqual([
      expect.stringContaining("asset.uploaded"),
      "asset.addressed: Addressed annotations 1 and 2 in note.txt, version 2",
      "asset.commented: Replied on note.txt, version 2: 3. reply: Is it not meant so?",
      "asset.commented: Reopened an annotation on note.txt, version 2: 2. [must] from v1, reopened, whole asset: Two",
    ]);
    await library.plant({}, two.id);
    // The version that says so was checked, whatever followed it.
    expect((await change(second.id, { state: "honoured" })).body).toMatchObject({ honoured_version: 2 });
  });

  test("the detail of an asset has the open ones of all versions, reopened first, then by weight", async () => {
    const one = await library.plant();
    for (const [body, weight] of [
      ["N", "nit"],
      ["S", "should"],
      ["M", "must"],
      ["R", "nit"],
    ])
      await add(one.id, { body, weight });
    const two = await library.plant({}, one.id);
    await respond(two.id, { n: 4, state: "addressed" });
    const [, , , last] = (await list(one.id)).annotations as Annotation[];
    await change(last?.id ?? "", { state: "open" });
    const { body } = await library.say<AssetDetail>(`/assets/${two.id}`);
    expect(body.annotations.map(({ text }) => text)).toEqual([
      "4. [nit] from v1, reopened, whole asset: R",
      "3. [must] whole asset: M",
      "2. [should] whole asset: S",
      "1. [nit] whole asset: N",
    ]);
    expect(body.annotations_total).toBe(4);
  });
});
