/** Databases and backups from before migration 0044, when rows repeated the fields of an event in columns. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { migrations } from "../../db/engine/migrate.ts";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { renderEvent } from "../../src/feed/render-event.ts";
import { type EventRow, eventFields } from "../../src/feed/schema.ts";
import {
  type Dialect,
  dialects,
  eventRow,
  expectConsistent,
  freshDatabase,
  insertRow,
  link,
  openTestData,
  rowsOf,
  temporaryFolder,
  testClock,
} from "../support/harness.ts";
import { mount, mountable, unmount } from "../support/stores/small-disk.ts";

const clock = testClock();
const open = (url: string) => openData(url, { now: clock.now, log() {} });
const noon = Date.UTC(2026, 2, 1, 12) * 1000;

const ofRun = { project: "atlas", run_id: "run-7", issue: 7, lane: "lane_a" };
const rows: EventRow[] = [
  eventRow({ id: 1, ts: noon, ...ofRun, repo: "acme/atlas", url: "https://svc.test/ü?q='x'" }),
  eventRow({
    ...{ id: 2, ts: noon + 1, ...ofRun, kind: "step.usage", summary: `Zoë said "done" \\o/ — 完了 🚀` },
    ...{ model: "gpt-6", subscription: "team", tokens_in: 5, tokens_out: 7, cache_read: 9, cache_write: 11 },
    ...{ cost_equiv: 0.1, cost_source: "computed", duration_ms: 12 },
  }),
  eventRow({ id: 3, ts: noon + 2, ...ofRun, kind: "run.failed", summary: "The walrus slept" }),
  eventRow({
    id: 4,
    ts: noon + 3,
    kind: "pr.opened",
    actor: "human:zoe",
    pr: 9,
    summary: "Without a project",
  }),
];
const texts = rows.map(renderEvent).toReversed();

/** Rows of events as the versions before wrote them. */
const formerRows = rows.map((row) => ({
  ...Object.fromEntries(eventFields.map((field) => [field, row[field]])),
  ...{ dedupe_key: `key-${row.id}`, delivery_id: row.id === 4 ? "delivery" : null },
  ...{ wire: renderEvent(row), payload: row.id === 1 ? '{"parent_run_id":"run-6"}' : null },
}));

/** Makes a database as the version before migration 0044 left it. */
async function openFormer(dialect: Dialect, url: string): Promise<void> {
  const all = migrations[dialect];
  const later = all.splice(all.findIndex(({ name }) => name === "0044_event_text"));
  await (await open(url)).close();
  all.push(...later);
  for (const row of formerRows) await insertRow(url, "events", row);
  await rowsOf(url, `update feed_head set id = 4, ts = ${noon + 3}`);
}

async function expectAll(data: Data): Promise<void> {
  const page = await data.feed(null, { limit: 9 });
  expect(page.map(({ wire }) => wire)).toEqual(texts);
  const ofKind = await data.feed(null, { kind: "pr.opened", limit: 9 });
  expect(ofKind.map(({ wire }) => wire)).toEqual(texts.slice(0, 1));
  expect(await data.findInconsistencies()).toEqual([]);
  const usage = await data.usage("atlas", "2026-03-01");
  expect(usage.find(({ model }) => model !== "")).toMatchObject({
    model: "gpt-6",
    lane: "lane_a",
    tokens_in: 5,
    cache_write: 11,
    cost_equiv: 0.1,
  });
  const run = await data.run(null, "atlas", "run-7");
  expect(run).toMatchObject({ parent: "run-6", models: ["gpt-6"], tokens_out: 7, status: "failed" });
}

const rebuilt = ["runs", "usage", "counters", "issues", "index"] as const;

test.each(dialects)(
  "a database from before it keeps its pages, runs, usage and keys on %s",
  async (dialect) => {
    await using database = await freshDatabase(dialect);
    await openFormer(dialect, database.url);
    const data = await open(database.url);
    await link(data, "atlas");
    await data.rebuildDerivedRows([...rebuilt]);
    await expectAll(data);
    const [again, delivered, added] = await Promise.all([
      data.append([{ kind: "run.started", actor: "agent:codex", summary: "x", dedupe_key: "key-2" }]),
      data.append([{ kind: "run.started", actor: "agent:codex", summary: "x", delivery_id: "delivery" }]),
      data.append([{ kind: "run.started", actor: "agent:codex", summary: "x", dedupe_key: "key-5" }]),
    ]);
    expect([again, delivered, added].map((one) => one.duplicates)).toEqual([1, 1, 0]);
    await expectConsistent(data);
    await data.close();
  },
);

test.each(dialects)("a backup from before it is restored on %s", async (dialect) => {
  await using testData = await openTestData(dialect);
  const { data } = testData;
  await data.replaceAllRows(async (all) => {
    const stored = await all.put("events", formerRows);
    // A restore compares these with what it reads back.
    expect(await Array.fromAsync(all.rows("events"))).toEqual([stored]);
    await all.put("feed_head", [{ one: 1, id: 4, ts: noon + 3 }]);
  });
  await link(data, "atlas");
  await data.rebuildDerivedRows([...rebuilt]);
  await expectAll(data);
});

test.skipIf(!mountable)("a database whose disk has no space for the copy is left as it was", async () => {
  await using folder = await temporaryFolder();
  await mount("-t", "tmpfs", "-o", "size=16m", "svc-test", folder.path);
  try {
    const url = `sqlite:${join(folder.path, "svc.db")}`;
    await openFormer("sqlite", url);
    await rowsOf(url, "update events set payload = hex(zeroblob(3000000)) where id = 1");
    await rowsOf(url, "pragma wal_checkpoint(truncate)");
    const refusal = await open(url).catch((error: Error) => error);
    expect(String(refusal)).toMatch(
      /^DatabaseError: The upgrade needs up to 13 MB of free space in \S+, which has 10 MB: 0044_event_text copies the table events\. /,
    );
    expect(await rowsOf(url, "select count(*) as n, sum(length(summary)) > 0 as has from events")).toEqual([
      { n: 4, has: 1 },
    ]);
    await mount("-o", "remount,size=64m", folder.path);
    const data = await open(url);
    expect(await data.feed(null, { limit: 9 })).toHaveLength(4);
    await data.close();
  } finally {
    await unmount(folder.path);
  }
});
