/** Importing past events from NDJSON: what is added, and how errors name their line. */
import { describe, expect, test } from "bun:test";
import { fromMicros, minuteMicros, toMicros } from "../../../src/core/lib/time.ts";
import { unavailable } from "../../../src/core/problem.ts";
import { type ImportResult, importEvents } from "../../../src/feed/ingest/import.ts";
import { dialects, event, link, openApp, rowsOf, type TestApp } from "../../support/harness.ts";

const line = (fields = {}): string =>
  JSON.stringify({ ...event({ project: "atlas" }), ts: "2025-05-05T05:05:05Z", ...fields });

async function run(app: TestApp, lines: string[], reported: ImportResult[] = []): Promise<ImportResult> {
  async function* each() {
    yield* lines;
  }
  return importEvents(app.ctx, each(), (totals) => reported.push({ ...totals }));
}

/** Invalid lines and their errors. */
const invalidLines: [string, string][] = [
  ["{", "not valid JSON"],
  ["[]", "not a JSON object"],
  ["null", "not a JSON object"],
  ["5", "not a JSON object"],
  [line({ kind: "nope" }), "kind"],
  [line({ ts: "2026-03-02T12:00:00Z" }), "ts is more than five minutes in the future"],
  [line({ ts: "0001-01-01T00:00:00Z" }), "ts is before 1970"],
  [line({ project: "nowhere" }), "project: no project with slug 'nowhere'."],
  [line({ lane: "nowhere" }), "lane"],
  [line({ url: "javascript:alert(1)" }), "url must be"],
];

describe.each(dialects)("importing events on %s", (dialect) => {
  test("adds each line at its own time, in batches, and a second run adds nothing", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const lines = [
      "",
      ...Array.from({ length: 2001 }, (_, at) => line({ summary: `Line ${at}` })),
      "  ",
      line({ dedupe_key: "a", ts: undefined }),
    ];
    const reported: ImportResult[] = [];
    expect(await run(app, lines, reported)).toEqual({ accepted: 2002, duplicates: 0, lines: 2004 });
    expect(reported.map(({ accepted }) => accepted)).toEqual([2000, 2002]);
    expect(await run(app, lines)).toEqual({ accepted: 0, duplicates: 2002, lines: 2004 });
    const [newest] = await app.ctx.data.feed(null, { limit: 1 });
    expect(newest?.ts).toBe(app.clock.now());
    const [first] = await app.ctx.data.feed(null, { order: "oldest first", after: 0, limit: 1 });
    expect(first?.ts).toBe(toMicros("2025-05-05T05:05:05Z"));
    expect(await run(app, [])).toEqual({ accepted: 0, duplicates: 0, lines: 0 });
  });

  test("takes a time that a clock five minutes ahead gave it", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const ahead = app.clock.now() + 5 * minuteMicros;
    expect(await run(app, [line({ ts: fromMicros(ahead) })])).toMatchObject({ accepted: 1 });
    expect((await app.ctx.data.feed(null, { limit: 1 }))[0]?.ts).toBe(ahead);
  });

  test("takes what svc exported from a site without TLS", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const url = "http://localhost:8080/assets/01J9ZC5W8Q4T3M2N1K0H7G6F5D";
    await run(app, [line({ kind: "asset.uploaded", url })]);
    const [added] = await app.ctx.data.feed(null, { order: "oldest first", after: 0, limit: 1 });
    expect(JSON.parse(added?.wire ?? "")).toMatchObject({ url });
  });

  test("takes no field from a line that only svc sets", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const set = { id: 7, delivery_id: "d", key_scope: "s", earlier_key: "k", payload: { at: 1 } };
    const lines = [1, 2].map((number) => line({ ...set, summary: `Line ${number}` }));
    expect(await run(app, lines)).toMatchObject({ accepted: 2 });
    const rows = await rowsOf(app.url, "select id, delivery_id, dedupe_key, payload from events order by ts");
    for (const [at, row] of rows.entries())
      expect(row).toEqual({
        id: dialect === "sqlite" ? at + 1 : `${at + 1}`,
        delivery_id: null,
        dedupe_key: expect.stringMatching(/^line:~/),
        payload: null,
      });
  });

  test("names the invalid line, and adds nothing of its batch", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const before = await app.ctx.data.head();
    for (const [invalid, message] of invalidLines) {
      const refused = { status: 400, detail: expect.stringMatching(new RegExp(`^line 3: ${message}`)) };
      await expect(run(app, [line(), "", invalid, line()])).rejects.toMatchObject(refused);
    }
    expect(await app.ctx.data.head()).toBe(before);
  });

  test("keeps the batches before an invalid line, one that is still being written as well", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const lines = Array.from({ length: 2000 }, (_, at) => line({ summary: `Line ${at}` }));
    const reported: ImportResult[] = [];
    const refused = { status: 400, detail: "line 2001: not valid JSON" };
    await expect(run(app, [...lines, "{"], reported)).rejects.toMatchObject(refused);
    expect(reported).toEqual([{ accepted: 2000, duplicates: 0, lines: 2000 }]);
    expect(await run(app, lines)).toEqual({ accepted: 0, duplicates: 2000, lines: 2000 });
  });

  test("halves a batch that the database does not take in time, and keeps what it took", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const { append } = app.ctx.data;
    const sizes: number[] = [];
    app.ctx.data.append = (events) => {
      sizes.push(events.length);
      return events.length > 300 ? Promise.reject(unavailable("no answer")) : append(events);
    };
    const lines = Array.from({ length: 2250 }, (_, at) => line({ summary: `Line ${at}` }));
    expect(await run(app, lines)).toEqual({ accepted: 2250, duplicates: 0, lines: 2250 });
    expect(sizes.filter((size) => size > 300)).toEqual([2000, 1000, 500, 500, 1000, 500, 500]);
    app.ctx.data.append = () => Promise.reject(unavailable("no answer"));
    await expect(run(app, [line({ summary: "Another" })])).rejects.toMatchObject({ status: 503 });
  });

  test("does not blame a line when the database is unavailable", async () => {
    await using app = await openApp(dialect);
    app.ctx.data.linkedProjects = () => Promise.reject(unavailable("away"));
    await expect(run(app, [line()])).rejects.toMatchObject({ status: 503, detail: "away" });
  });
});
