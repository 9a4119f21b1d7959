/** Packed events: every read gives them as it did before, and whatever happens to the log happens as if they were whole. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openData } from "../db/open.ts";
import type { Reads } from "../src/data.ts";
import { packEvents } from "../src/feed/packing.ts";
import type { Appendable, FeedFilter } from "../src/rows.ts";
import { dayMicros, secondMicros } from "../src/time.ts";
import {
  dialects,
  event,
  expectConsistent,
  freshDatabase,
  link,
  must,
  openTestData,
  program,
  rowsOf,
  startServer,
  type TestData,
  until,
} from "./harness.ts";
import { openPlans } from "./plans.ts";

const hour = 3_600 * secondMicros;
const projects = ["atlas", "borealis", "quiet"];
const everything = Number.MIN_SAFE_INTEGER;

/** Runs of long ago and of today, side by side, with all that an event may carry. */
function told(index: number): Appendable {
  const at = <T>(list: readonly T[], salt: number): T => list[(index * 31 + salt * 17 + (index >> 3)) % list.length] as T;
  return event({
    kind: index % 3 > 0 ? "step.usage" : at(["run.started", "run.finished", "workflow.run", "issue.opened", "pr.merged"] as const, 1),
    actor: index % 3 === 0 ? "human:zoe" : `agent:${index % 12}`,
    project: index < 1_200 ? at([...projects, null], 3) : at(projects.slice(0, 2), 3),
    lane: at(["lane_a", "lane_b", null], 4),
    summary: index % 7 === 0 ? `says "kind":"pr.merged", "project":"quiet" \\ Берег \u{1F30A} ${index}` : `Step ${index}`,
    // Rare ones of many: each has a list of its own.
    ...(index % 29 === 0 && { kind: "preview.ready" as const, actor: `bot:${index}` }),
    ...(index % 5 === 0 && { issue: 1 + (index % 40) }),
    ...(index % 4 === 0 && { tokens_in: index, tokens_out: 2 * index, cost_equiv: index / 7, model: "m-1", duration_ms: index }),
    ...(index % 6 === 0 && { dedupe_key: `key ${index}` }),
    ...(index % 17 === 0 && { cost_equiv: -0 }),
    ...(index % 11 === 0 && { delivery_id: `delivery ${index}`, payload: { raw: [index, "\u0000"] } }),
    ...(index % 13 === 0 && { url: `https://example.com/a b?n=${index}` }),
  });
}
const count = 2_000;

const pack = (house: TestData, before: number): Promise<number> => packEvents(house, before, everything, () => true);

async function fill(house: TestData): Promise<void> {
  for (const slug of projects) await link(house.data, slug);
  house.clock.set("2024-03-01T12:00:00Z");
  for (let index = 0; index < count; index += 50) {
    await house.data.atomically((writes) => writes.append(Array.from({ length: 50 }, (_, at) => told(index + at))));
    house.clock.advance(18 * hour);
  }
}

/** What the reads of the feed give: pages of every filter, forwards and backwards, from everywhere; or each fifth of them. */
async function seen({ data }: TestData, each = 5): Promise<unknown[]> {
  const all = await data.feed(null, { limit: 10_000 });
  const instants = [0, 700, 1_333, 1_999].map((index) => must(all[index]).ts);
  const filters: FeedFilter[] = [
    ...[{}, { project: "atlas" }, { project: "quiet" }, { project: "unknown" }, { actor: "agent:7" }, { lane: "lane_b" }],
    ...(["step.usage", "preview.ready", "workflow.run", "run.finished", "pr.closed"] as const).map((kind) => ({ kind })),
    ...[
      { kind: "step.usage", lane: "lane_a" } as const,
      { project: "quiet", kind: "workflow.run", actor: "human:zoe", lane: "lane_a" } as const,
    ],
  ];
  const given: unknown[] = [all];
  for (const allowed of [null, ["atlas"], ["atlas", "quiet"]])
    for (const [index, filter] of filters.entries())
      for (const [at, instant] of instants.entries()) {
        if ((index * instants.length + at) % each > 0) continue;
        const limit = (index + at) % 3 === 0 ? 1 : 60;
        given.push(await data.feedPage(allowed, { ...filter, before: instant, limit }));
        given.push(await data.feedSince(allowed, { ...filter, after: instant, limit }));
        given.push(await data.feed(allowed, { ...filter, before: instant, after: instant - 40 * hour, limit }));
      }
  const plain = (one: unknown) => (Array.isArray(one) ? one.map(({ id, ts, wire }) => ({ id, ts, wire })) : one);
  return [...given.map(plain), await Promise.all(all.filter((_, index) => index % 40 === 0).map(({ id }) => data.eventTime(id)))];
}

describe.each(dialects)("events of long ago, packed on %s", (dialect) => {
  let house: TestData;
  let all: unknown[];
  let before: unknown[];
  let rows: unknown[];
  const old = () => house.clock.now() - 5 * dayMicros;
  const wholeRows = async () => {
    const pages: unknown[][] = [];
    await house.data.snapshot(async (all) => {
      for await (const page of all.rows("events")) pages.push(JSON.parse(JSON.stringify(page)));
    });
    return pages.flat().sort((a, b) => (a as { ts: number }).ts - (b as { ts: number }).ts);
  };
  beforeAll(async () => {
    house = await openTestData(dialect);
    await fill(house);
    [all, before, rows] = [await seen(house, 1), await seen(house), await wholeRows()];
  });
  afterAll(() => house.close());

  test("are on every page where they were, and take a row for many", async () => {
    expect(await pack(house, old())).toBeGreaterThan(900);
    const [left] = await rowsOf(house.url, "select (select count(*) from events) as whole, (select count(*) from packs) as packs");
    expect(Number(must(left).whole)).toBeLessThan(count - 900);
    expect(Number(must(left).packs)).toBeLessThan(40);
    expect(await seen(house, 1)).toEqual(all);
    expect(await wholeRows()).toEqual(rows);
    expect(await pack(house, old())).toBe(0);
  });

  test.skipIf(dialect === "postgres")("are found without reading through all packs", async () => {
    const plans = openPlans(dialect, house.url);
    const [before, after] = [old(), old() - 20 * dayMicros];
    const works = [
      (reads: Reads) => reads.feedPage(null, { before, limit: 50 }),
      (reads: Reads) => reads.feedPage(null, { before, kind: "step.usage", limit: 50 }),
      (reads: Reads) => reads.feedSince(null, { after, limit: 50 }),
      (reads: Reads) => reads.eventTime(7),
      (reads: Reads) => reads.packedUntil(),
    ];
    for (const work of works) {
      const found = await plans.wasted(work);
      expect(found.filter(({ of }) => of === "packs" || of === "events" || of === "facet_events")).toEqual([]);
    }
    await plans.close();
  });

  test("are counted as before, and nothing disagrees", async () => {
    await expectConsistent(house.data);
    expect(await house.data.discrepancies()).toEqual([]);
    await house.data.recount(["counters", "issues", "usage", "index"]);
    expect(await house.data.discrepancies()).toEqual([]);
    expect(await seen(house)).toEqual(before);
  });

  test("add nothing when their key or their delivery comes again", async () => {
    const again = [6, 66, 600, 11, 121].map(told);
    const result = await house.data.atomically((writes) => writes.append([...again, event({ dedupe_key: "delivery 11" })]));
    expect([result.added.length, result.duplicates]).toEqual([1, 5]);
  });

  test("leave their times to themselves: what is told later of the past stands beside them, and is packed with them", async () => {
    const all = await house.data.feed(null, { limit: 10_000 });
    const times = new Set(all.map(({ ts }) => ts));
    const started = must(all.at(-1)).ts;
    // Where each second one is taken, and neighbours are.
    const late = Array.from({ length: 400 }, (_, index) =>
      event({
        ts: started + Math.floor(index / 2) * 3 * hour + (index % 2),
        kind: "step.usage",
        project: "quiet",
        dedupe_key: `late ${index}`,
      }),
    );
    for (let at = 0; at < late.length; at += 100) await house.data.atomically((writes) => writes.append(late.slice(at, at + 100)));
    const more = await house.data.feed(null, { limit: 10_000 });
    expect(more.length).toBe(all.length + late.length);
    expect(new Set(more.map(({ ts }) => ts)).size).toBe(more.length);
    expect(more.filter(({ ts }) => times.has(ts))).toEqual(all);
    const then = await seen(house);
    const packs = "select (select sum(count) from packs) as events, (select max(count) from packs) as largest";
    const [one] = await rowsOf(house.url, packs);
    expect(await pack(house, old())).toBeGreaterThan(300);
    const [other] = await rowsOf(house.url, packs);
    expect(Number(other?.events)).toBeGreaterThan(Number(one?.events) + 300);
    expect(Number(other?.largest)).toBeLessThanOrEqual(128);
    const [crossing] = await rowsOf(
      house.url,
      "select count(*) as count from packs a join packs b on a.first < b.first and a.last >= b.first",
    );
    expect(Number(crossing?.count)).toBe(0);
    expect(await seen(house)).toEqual(then);
    expect(await house.data.discrepancies()).toEqual([]);
    const again = await house.data.atomically((writes) => writes.append(late.slice(0, 100)));
    expect(again).toEqual({ added: [], duplicates: 100 });
  });

  test("come whole into another database, out of its rows, and out of it again", async () => {
    await using other = await openTestData(dialect === "sqlite" ? "postgres" : "sqlite");
    await house.data.snapshot((all) =>
      other.data.replaceEverything(async (rows) => {
        for (const table of all.tables) for await (const page of all.rows(table)) await rows.put(table, page);
      }),
    );
    const then = await seen(house);
    expect(await seen(other)).toEqual(then);
    await pack(other, old());
    expect(await seen(other)).toEqual(then);
    await other.data.replaceEverything(async () => {});
    expect([await other.data.feed(null, { limit: 1 }), await other.data.packedUntil()]).toEqual([[], null]);
  });

  test("are whole where a packing did not come to its end, and are never fewer while it goes on", async () => {
    await using other = await openTestData(dialect);
    await fill(other);
    const then = await seen(other);
    const failed = other.data.atomically(async (writes) => {
      expect((await writes.packEvents(everything, other.clock.now())).packed).toBeGreaterThan(100);
      throw new Error("cut off");
    });
    expect(failed).rejects.toThrow("cut off");
    expect([await seen(other), await other.data.packedUntil()]).toEqual([then, null]);
    let isDone = false;
    const packing = pack(other, other.clock.now()).then(() => void (isDone = true));
    let read = 0;
    for (; !isDone; read++) {
      await new Promise(setImmediate); // the packing's turn
      const { count: shown, more } = await other.data.feedPage(null, { limit: 200, before: other.clock.now() - 10 * dayMicros });
      expect([shown, more]).toEqual([200, true]);
      expect((await other.data.feedSince(null, { after: everything, limit: 5_000 })).length).toBe(count);
      expect((await other.data.feed(null, { project: "atlas", kind: "step.usage", limit: 100 })).length).toBe(100);
    }
    await packing;
    expect(read).toBeGreaterThan(0);
    expect(await seen(other)).toEqual(then);
  });

  test("are packed also where a program that knows of no packs took their key again", async () => {
    await using other = await openTestData(dialect);
    await link(other.data, "atlas");
    const told = Array.from({ length: 200 }, (_, index) =>
      event({ project: "atlas", dedupe_key: `key ${index}`, ts: other.clock.now() - hour + index }),
    );
    const tell = () => other.data.atomically((writes) => writes.append([...told, event({ project: "atlas" })]));
    await tell();
    expect(await pack(other, other.clock.now())).toBe(200);
    await rowsOf(other.url, "create table unseen as select * from packed_keys");
    await rowsOf(other.url, "delete from packed_keys");
    expect((await tell()).added.length).toBe(201);
    await rowsOf(other.url, "insert into packed_keys select * from unseen");
    const then = await other.data.feed(null, { limit: 1_000 });
    expect(await pack(other, other.clock.now())).toBeGreaterThan(100);
    expect(await other.data.feed(null, { limit: 1_000 })).toEqual(then);
    expect((await tell()).duplicates).toBe(200);
  });

  test("are the work of a server that is told to, and of a command", async () => {
    await using database = await freshDatabase(dialect);
    const data = await openData(database.url, { now: house.clock.now, log() {} });
    await fill({ ...house, data });
    const ids = async () => (await data.feed(null, { limit: 10_000 })).map(({ id }) => id);
    const then = await ids();
    const env = { SVC_DATABASE_URL: database.url };
    const refused = await program(["pack", "--older-than", "soon"], env);
    expect([refused.code, refused.errors]).toEqual([
      2,
      "svc: --older-than takes a length of time such as 90s, 15m, 1h, 7d or 2w, not 'soon'\n",
    ]);
    expect((await program(["pack", "--older-than", "50000d"], env)).output).toMatch(/^nothing to pack before 18/);
    expect((await program(["pack", "--json", "--older-than", "100d"], env)).output).toMatch(/^{"before":"20.*","packed":\d{3,}}\n$/);
    expect(await ids()).toEqual(then);
    const at = await data.packedUntil();
    await data.atomically((writes) => writes.append(Array.from({ length: 500 }, (_, index) => event({ summary: `Later ${index}` }))));
    await using _ = await startServer(database, { SVC_PACK_DAYS: "1" });
    await until(async () => must(await data.packedUntil()) > must(at), "the server packs what is old by now");
    expect((await ids()).slice(500)).toEqual(then);
    await data.close();
  });
});
