/** A log with a partition for each year: the years it has, and what holds across them. */
import { describe, expect, test } from "bun:test";
import { readFromPartitions, type Years } from "../../db/feed/partitions.ts";
import { openData } from "../../db/open.ts";
import type { Finding } from "../../src/api/doctor/finding.ts";
import type { Data } from "../../src/api/port.ts";
import { toMicros } from "../../src/core/lib/time.ts";
import type { FeedFilter } from "../../src/feed/filters.ts";
import type { Appendable, RenderedEvent } from "../../src/feed/rows.ts";
import { readAllRows } from "../support/database/seeded-deployment.ts";
import {
  databaseKinds,
  event,
  freshDatabase,
  link,
  migratedDatabase,
  openTestData,
  program,
  rowsOf,
  testClock,
} from "../support/harness.ts";

type Page = Parameters<Data["feed"]>[1];

const kind = "partitioned postgres";
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));
const at = (time: string, fields: Partial<Appendable> = {}) => event({ ...fields, ts: toMicros(time) });

const partitionsOf = async (url: string): Promise<Record<string, number>> => {
  const rows = await rowsOf(url, "select tableoid::regclass::text as name, count(*) from events group by 1");
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
};

/** Events of three years, in several projects, and of few and many kinds. */
const threeYears: Appendable[] = Array.from({ length: 360 }, (_, index) => {
  const month = String(1 + (Math.floor(index / 10) % 12)).padStart(2, "0");
  return at(`${2024 + Math.floor(index / 120)}-${month}-07T00:00:00Z`, {
    project: index < 100 ? "early" : (["atlas", "beacon"][index % 2] as string),
    kind: index % 40 === 0 ? "run.failed" : index % 3 === 0 ? "pr.merged" : "step.usage",
    actor: `agent:${index % 5}`,
    lane: `lane_${"ab"[index % 2]}`,
    issue: 1 + (index % 7),
    summary: `${index % 90 === 0 ? "heliograph" : "parser"} ${index}`,
    dedupe_key: `key ${index}`,
  });
});

async function openThreeYears(of: (typeof databaseKinds)[number]) {
  const opened = await openTestData(of, testClock("2026-12-31T23:59:59.999999Z"));
  for (const slug of ["early", "atlas", "beacon"]) await link(opened.data, slug);
  await append(opened.data, threeYears);
  return opened;
}

describe("a log with partitions", () => {
  test("has one for each year, which the first event of the year adds", async () => {
    await using opened = await openTestData(kind, testClock("2026-12-31T23:59:59.999999Z"));
    await append(opened.data, [event()]);
    expect(await partitionsOf(opened.url)).toEqual({ events_2026: 1 });
    opened.clock.advance(1);
    await append(opened.data, [event(), at("2024-02-29T00:00:00Z"), at("1969-07-20T00:00:00Z")]);
    expect(await partitionsOf(opened.url)).toEqual({
      ...{ events_past: 1, events_2024: 1, events_2026: 1 },
      events_2027: 1,
    });
  });

  test("adds a year again if the transaction that added it failed", async () => {
    await using opened = await openTestData(kind);
    const failed = opened.data.atomically(async (writes) => {
      await writes.append([event()]);
      throw new Error("changed its mind");
    });
    await expect(failed).rejects.toThrow("changed its mind");
    await append(opened.data, [event()]);
    expect(await partitionsOf(opened.url)).toEqual({ events_2026: 1 });
  });

  test("is appended to by another process that has not seen the year", async () => {
    await using opened = await openTestData(kind);
    const other = await openData(opened.url, { now: opened.clock.now, log() {}, connections: 2 });
    await append(opened.data, [event()]);
    await append(other, [event()]);
    await other.close();
    expect(await partitionsOf(opened.url)).toEqual({ events_2026: 2 });
  });

  test("gives the pages that one table gives, by every filter, from every time, in both orders", async () => {
    await using one = await openThreeYears("postgres");
    await using parted = await openThreeYears(kind);
    const filters: FeedFilter[] = [
      {},
      { project: "early" },
      { project: "atlas" },
      { kind: "run.failed" },
      { actor: "agent:3" },
      { lane: "lane_a" },
      { project: "beacon", kind: "pr.merged" },
      { kind: ["run.failed", "pr.merged"] },
      { issue: 3 },
      { project: "atlas", issue: 3 },
      { project: ["early", "atlas"] },
    ];
    const times = ["2024-06-01T00:00:00Z", "2025-01-01T00:00:00Z", "2026-07-07T00:00:00.000005Z"].map(
      toMicros,
    );
    const ofAll: Page[] = [{ limit: 9 }, { limit: 500 }];
    const fromTimes = times.flatMap((time): Page[] => [
      { before: time, limit: 9 },
      { before: time, limit: 500 },
      { after: time, limit: 70 },
      { order: "oldest first", after: time, limit: 9 },
    ]);
    const pages = filters.flatMap((filter) =>
      [...ofAll, ...fromTimes].map((page) => ({ ...filter, ...page })),
    );
    for (const page of pages) {
      const [expected, given] = await Promise.all([one, parted].map(({ data }) => data.feed(null, page)));
      expect([page, given]).toEqual([page, expected]);
      const ofTwo = [one, parted].map(({ data }) => data.feed(["early", "beacon"], page));
      const [whole, ofParts] = await Promise.all(ofTwo);
      expect([page, ofParts]).toEqual([page, whole]);
    }
  });

  test("knows ids, dedupe keys, and deliveries of all years", async () => {
    await using opened = await openThreeYears(kind);
    const { data, url } = opened;
    const { added, duplicates } = await append(data, [
      event({ dedupe_key: "key 5" }),
      event({ delivery_id: "delivery" }),
    ]);
    expect([added.length, duplicates]).toEqual([1, 1]);
    expect(await append(data, [at("2024-01-01T00:00:00Z", { delivery_id: "delivery" })])).toMatchObject({
      ...{ added: [], duplicates: 1 },
    });
    expect(await data.eventTime(1)).toBe(toMicros("2024-01-07T00:00:00Z"));
    expect((await data.eventsById(118, 4)).map(({ id }) => id)).toEqual([119, 120, 121, 122]);
    const again =
      "insert into events (ts, id, kind, actor, wire) select ts + 777, id, kind, actor, wire from events";
    await expect(rowsOf(url, `${again} where id = 7`)).rejects.toThrow("event_keys_pkey");
  });

  test("is searched in all years", async () => {
    await using opened = await openThreeYears(kind);
    const match = { term: "heliograph" };
    await opened.data.countMatches(null, [match], 10); // as each search does first, for the newest events
    const hits = await opened.data.search(null, "event", { match, order: "newest", limit: 10 });
    expect(hits.map(({ text }) => text)).toEqual([270, 180, 90, 0].map((index) => `heliograph ${index}`));
  });

  test("keeps the keys of events that are changed and removed", async () => {
    await using opened = await openThreeYears(kind);
    await rowsOf(opened.url, "update events set dedupe_key = 'changed' where id = 200");
    await rowsOf(opened.url, "delete from events where id <= 199");
    const keys = await rowsOf(opened.url, "select dedupe_key from event_keys order by id limit 2");
    expect(keys.map(({ dedupe_key }) => String(dedupe_key).split("\u001f")[0])).toEqual([
      "changed",
      "key 200",
    ]);
  });

  test.each(databaseKinds)("is filled from a backup of %s, and the other way around", async (other) => {
    await using source = await openThreeYears(other);
    await using parted = await openTestData(kind);
    await using target = await openTestData(other);
    const move = (from: Data, to: Data) =>
      from.snapshot((all) =>
        to.replaceAllRows(async ({ put }) => {
          for (const table of all.tables) for await (const rows of all.rows(table)) await put(table, rows);
        }),
      );
    const rows = await readAllRows(source.data);
    await move(source.data, parted.data);
    expect(await partitionsOf(parted.url)).toEqual({ events_2024: 120, events_2025: 120, events_2026: 120 });
    await move(parted.data, target.data);
    for (const { data } of [parted, target]) {
      expect(await readAllRows(data)).toEqual(rows);
      expect(await data.findInconsistencies()).toEqual([]);
    }
  });

  test("is given to a new database only, by the setting; doctor warns where it has no effect", async () => {
    const doctor = async (url: string, partitions: string) => {
      const env = { SVC_DATABASE_URL: url, SVC_POSTGRES_PARTITIONS: partitions };
      const { output } = await program(["doctor", "--json"], env);
      const findings = output
        .trim()
        .split("\n")
        .map((line): Finding => JSON.parse(line));
      return findings.find(({ what }) => what === "database");
    };
    await using database = await freshDatabase("postgres");
    for (const partitions of ["year", ""])
      expect(await doctor(database.url, partitions)).toMatchObject({
        level: "ok",
        detail: expect.stringContaining("Postgres with partitions"),
      });
    await using whole = await migratedDatabase("postgres");
    expect(await doctor(whole.url, "year")).toMatchObject({
      level: "warning",
      detail: expect.stringContaining("SVC_POSTGRES_PARTITIONS has no effect"),
    });
  });
});

describe("pages of a log with partitions", () => {
  const newYear = toMicros("2026-01-01T00:00:00Z");
  const rows = ["2026-02-03T00:00:00Z", "2025-02-03T00:00:00Z", "2019-02-03T00:00:00Z"].map(
    (time) => ({ ts: toMicros(time) }) as RenderedEvent,
  );
  interface Query {
    before?: number;
    after?: number;
    limit: number;
    years?: Years;
  }
  const reader = () => {
    const queries: Query[] = [];
    const read = readFromPartitions({ dialect: { isPartitioned: true } } as Parameters<
      typeof readFromPartitions
    >[0]);
    return {
      queries,
      page: (query: Query, direction: "newest first" | "oldest first" = "newest first") =>
        read(query, direction, async (bounded) => {
          queries.push(bounded);
          const { before = Infinity, after = 0, limit } = bounded;
          return rows.filter(({ ts }) => ts > after && ts < before).slice(0, limit);
        }),
    };
  };

  test("are read in one, once it is known, and in all if it does not fill them", async () => {
    const { queries, page } = reader();
    for (const limit of [1, 1, 2]) await page({ limit });
    const inOne = { after: newYear - 1, years: { first: 2026 } };
    expect(queries).toEqual([
      { limit: 1, years: {} },
      { limit: 1, ...inOne },
      { limit: 2, ...inOne },
      { limit: 2, years: {} },
    ]);
  });

  test("are read once if they reach no further back", async () => {
    const { queries, page } = reader();
    await page({ limit: 1 });
    const before = toMicros("2026-05-01T00:00:00Z");
    await page({ limit: 2, before, after: newYear });
    expect(queries.slice(1)).toEqual([{ limit: 2, before, after: newYear, years: { first: 2026 } }]);
  });

  test("are read in no years but those of the log, whatever times are asked for", async () => {
    const { queries, page } = reader();
    await page({ limit: 1 });
    const [past, future] = [toMicros("1815-12-10T00:00:00Z"), toMicros("2200-01-01T00:00:00Z")];
    await page({ limit: 1, before: newYear });
    await page({ limit: 1, before: past });
    await page({ limit: 1, before: future, after: past }, "oldest first");
    await page({ limit: 1, before: future, after: future }, "oldest first");
    expect(queries.slice(1).map(({ years }) => years)).toEqual([
      { first: 2025, last: 2025 },
      { last: 2019 },
      {},
      { first: 2026 },
    ]);
  });
});
