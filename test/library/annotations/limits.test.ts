/** Limits of annotations: how many, for whom, and what is refused. On both databases. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import { weights } from "../../../src/files/probe/marks/schema.ts";
import type { Annotation, AnnotationList } from "../../../src/library/annotations/schema.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { dialects } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

describe.each(dialects)("limits of annotations on %s", (dialect) => {
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

  test("a version takes 1,000 annotations, and every list is read in bounded pages", async () => {
    const { id, root_id, sha256 } = await library.plant();
    await library.ctx.data.atomically(async (writes) => {
      for (let n = 1; n < 1000; n++)
        await writes.addAnnotation({
          ...{ id: ulid(), project: "atlas", chain: root_id, asset_id: id, version: 1, sha256, n },
          ...{ parent_id: null, body: `Mark ${n}`, weight: weights[n % 3] ?? "nit", by: "human:ana" },
          ...{ reader: "ana", origin: "api", created_at: 1, state: "open", state_by: null, state_at: null },
          ...{ addressed_in: null, reopened: 0, honoured_version: null, urgent_at: null, target: null },
        });
    });
    expect((await add(id, { body: "The last" })).status).toBe(201);
    const beyond = await add(id, { body: "One more" });
    expect([beyond.status, beyond.body.detail]).toEqual([400, expect.stringContaining("1000 annotations")]);
    const { body } = await library.say<AssetDetail>(`/assets/${id}`);
    expect([body.annotations.length, body.annotations_total]).toEqual([50, 1000]);
    expect(new Set(body.annotations.map(({ weight }) => weight))).toEqual(new Set(["must"]));
    for (const scope of ["version", "chain", "open"]) {
      const seen: number[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: AnnotationList = await list(
          id,
          `?scope=${scope}&limit=200${cursor && `&cursor=${cursor}`}`,
        );
        expect(page.annotations.length).toBe(200);
        seen.push(...numbers(page));
        cursor = page.next_cursor;
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
    }
    const rejected = (await library.review(id, { decision: "rejected" })).body;
    expect(rejected.review_note).toBe("1000 places to change");
  });

  test("annotations of a project that a token cannot see are neither readable nor writable", async () => {
    const { id } = await library.plant();
    const marked = (await add(id, { body: "Hidden" })).body;
    const limited = await library.mint(["assets:read", "assets:write", "assets:review"], {
      ...{ name: "limited", projects: ["beacon"] },
    });
    const answers = [
      await library.say(`/assets/${id}/annotations`, { token: limited }),
      await add(id, { body: "x" }, limited),
      await change(marked.id, { state: "honoured" }, limited),
      await respond(id, { n: 1, reply: "x" }, limited),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const own = await library.plant();
    expect((await add(own.id, { body: "x", parent_id: marked.id })).status).toBe(404);
  });

  test("refuses what cannot be with a sentence, and never fails", async () => {
    const { id } = await library.plant();
    const marked = (await add(id, { body: "Here" })).body;
    const body = "x";
    const point = { shape: "point", x: 1, y: 1 };
    const targets: unknown[] = [
      ...[
        {},
        [],
        "top",
        null,
        7,
        { secret: 1 },
        { page: 0 },
        { page: 1.5 },
        { x: 1, y: 1 },
        { shape: "circle" },
      ],
      ...[
        { ...point, x: 10_001 },
        { ...point, x: -1 },
        { ...point, x: 0.5 },
        { ...point, x: "1" },
        { ...point, w: 1 },
      ],
      ...[
        { shape: "rect", x: 9_999, y: 0, w: 2, h: 1 },
        { shape: "rect", x: 0, y: 0, w: 0, h: 1 },
        { shape: "point" },
      ],
      ...[
        { shape: "path", points: [[1, 1]] },
        { shape: "path", points: Array(65).fill([1, 1]) },
      ],
      ...[
        { shape: "path", points: [[1, 1, 1], [2]] },
        {
          shape: "path",
          points: [
            [1, 1.5],
            [2, 2],
          ],
        },
      ],
      ...[{ t_end_ms: 5 }, { t_ms: 5, t_end_ms: 5 }, { t_ms: 2 ** 31 }, { frame: 1 }, { fps: "25" }],
      ...[
        { frame: 1, fps: "25/0" },
        { frame: 1, fps: "25 or more" },
        { lines: { from: 3, to: 2 } },
        { lines: {} },
      ],
      ...[
        { quote: { exact: "" } },
        { quote: { exact: "a\nb" } },
        { css: "x".repeat(257) },
        { file: "\u0000" },
      ],
      ...[{ viewport: { w: 0, h: 1 } }, { quote: { exact: "\ud800" } }],
    ];
    const bodies: object[] = [
      ...targets.map((target) => ({ body, target })),
      ...[{}, { body: "" }, { body: " \n\u200b" }, { body: "x".repeat(1025) }, { body: "é".repeat(513) }],
      ...[
        { body: "\u0007" },
        { body: 7 },
        { body, weight: "urgent" },
        { body, draft: "yes" },
        { body, sha256: "x" },
      ],
      ...[
        { body, parent_id: 7 },
        { body, by: "unknown" },
      ],
    ];
    for (const json of bodies) {
      const { status, body } = await add(id, json);
      expect([JSON.stringify(json), status, body.detail]).toEqual([
        JSON.stringify(json),
        400,
        expect.stringMatching(/\.$/),
      ]);
    }
    for (const json of [{}, { state: "draft" }, { state: "done" }, { body }, { target: null }, { state: 7 }])
      expect([400, 409]).toContain((await change(marked.id, json)).status);
    for (const json of [
      {},
      { n: 1 },
      { n: [], state: "addressed" },
      { n: 0, reply: "x" },
      { n: [1, 2], reply: "x" },
    ])
      expect([400, 404]).toContain((await respond(id, json)).status);
    for (const query of ["?scope=all", "?limit=0", "?cursor=x", "?cursor=AAAAAAAAAAA9", "?limit=201"])
      expect((await library.say(`/assets/${id}/annotations${query}`)).status).toBe(400);
  });
});
