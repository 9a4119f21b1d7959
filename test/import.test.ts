/** Events of the past, line by line: what is taken, and which line is named where one cannot be. */
import { describe, expect, test } from "bun:test";
import { type ImportResult, importEvents } from "../src/ingest/import.ts";
import { toMicros } from "../src/lib/time.ts";
import { unavailable } from "../src/problem.ts";
import { dialects, event, link, openApp, type TestApp } from "./support/harness.ts";

const line = (said = {}): string =>
  JSON.stringify({ ...event({ project: "atlas" }), ts: "2025-05-05T05:05:05Z", ...said });

async function run(app: TestApp, lines: string[], reported: ImportResult[] = []): Promise<ImportResult> {
  async function* each() {
    yield* lines;
  }
  return importEvents(app.ctx, each(), (so) => reported.push({ ...so }));
}

/** Lines that are no event, and what is said of them. */
const bads: [string, string][] = [
  ["{", "not valid JSON"],
  ["[]", "not a JSON object"],
  ["null", "not a JSON object"],
  ["5", "not a JSON object"],
  [line({ kind: "nope" }), "kind"],
  [line({ ts: "2026-03-02T12:00:00Z" }), "ts is more than five minutes in the future"],
  [line({ project: "nowhere" }), "project: no project with slug 'nowhere'."],
  [line({ lane: "nowhere" }), "lane"],
];

describe.each(dialects)("an import on %s", (dialect) => {
  test("takes each line at its own time, by batches, and a second run adds nothing", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const lines = [
      "",
      ...Array.from({ length: 501 }, (_, at) => line({ summary: `Line ${at}` })),
      "  ",
      line({ dedupe_key: "a", ts: undefined }),
    ];
    const reported: ImportResult[] = [];
    expect(await run(app, lines, reported)).toEqual({ accepted: 502, duplicates: 0, lines: 504 });
    expect(reported.map(({ accepted }) => accepted)).toEqual([500, 502]);
    expect(await run(app, lines)).toEqual({ accepted: 0, duplicates: 502, lines: 504 });
    const [newest] = await app.ctx.data.feed(null, { limit: 1 });
    expect(newest?.ts).toBe(app.clock.now());
    const [first] = await app.ctx.data.feedSince(null, { after: 0, limit: 1 });
    expect(first?.ts).toBe(toMicros("2025-05-05T05:05:05Z"));
    expect(await run(app, [])).toEqual({ accepted: 0, duplicates: 0, lines: 0 });
  });

  test("names the line that cannot be taken, and keeps nothing of its batch", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const before = await app.ctx.data.head();
    for (const [bad, said] of bads) {
      const refused = { status: 400, detail: expect.stringMatching(new RegExp(`^line 3: ${said}`)) };
      await expect(run(app, [line(), "", bad, line()])).rejects.toMatchObject(refused);
    }
    expect(await app.ctx.data.head()).toBe(before);
  });

  test("names no line where the database is away", async () => {
    await using app = await openApp(dialect);
    app.ctx.data.project = () => Promise.reject(unavailable("away"));
    await expect(run(app, [line()])).rejects.toMatchObject({ status: 503, detail: "away" });
  });
});
