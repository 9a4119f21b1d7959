/** The check of the sums of usage, on a log that is longer than a slice of it. */
import { describe, expect, test } from "bun:test";
import { openPostgres } from "../../db/engine/postgres.ts";
import type { Session } from "../../db/engine/session.ts";
import { openSqlite } from "../../db/engine/sqlite.ts";
import { usageTableNames } from "../../db/feed/usage/sums.ts";
import { findWrongUsage, slicesOfLog } from "../../db/maintenance/usage.ts";
import type { WrongRows } from "../../db/query/wrong-rows.ts";
import { dayMicros } from "../../src/core/lib/time.ts";
import { dialects, event, fileOf, link, openTestData, rowsOf } from "../support/harness.ts";

const days = 6;
const eventsOfDay = 3;

describe.each(dialects)("the sums of usage on %s", (dialect) => {
  /** A log of some days, each with a row of usage. */
  async function openDays() {
    const testData = await openTestData(dialect);
    const { data, clock } = testData;
    await link(data, "atlas");
    for (let day = 0; day < days; day++) {
      for (let index = 0; index < eventsOfDay; index++) {
        const fields = {
          kind: "step.usage" as const,
          project: "atlas",
          issue: 7,
          person: "maria",
          tokens_in: 5,
        };
        await data.atomically((writes) => writes.append([event(fields)]));
      }
      clock.advance(dayMicros);
    }
    await data.rebuildDerivedRows([]);
    return testData;
  }

  async function withSession<T>(url: string, work: (session: Session) => Promise<T>): Promise<T> {
    const backend = dialect === "sqlite" ? openSqlite(fileOf({ url })) : await openPostgres(url);
    try {
      return await backend.longTransaction("read", work);
    } finally {
      await backend.close();
    }
  }

  /** @param eventsMax of a slice */
  const check = (url: string, eventsMax: number, shares: number[] = []): Promise<WrongRows> =>
    withSession(url, (session) =>
      findWrongUsage(
        session,
        usageTableNames,
        (share) => void shares.push(share),
        slicesOfLog(session, eventsMax),
      ),
    );

  test("are right in a log of any number of slices, of which each tells how far it is", async () => {
    await using testData = await openDays();
    for (const eventsMax of [1, eventsOfDay, 2 * eventsOfDay + 1, 1_000]) {
      const shares: number[] = [];
      expect(await check(testData.url, eventsMax, shares)).toMatchObject({ count: 0, names: [] });
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(shares.at(-1)).toBe(1);
      expect(shares.length >= days).toBe(eventsMax <= eventsOfDay);
    }
  });

  test("are wrong on any day of any table: first ones, last ones, and days without an event", async () => {
    await using testData = await openDays();
    const { url } = testData;
    const [first, , third, ...rest] = (await rowsOf(url, "select day from usage order by day")).map(
      ({ day }) => day as string,
    );
    const last = rest.at(-1);
    await rowsOf(url, `update usage set tokens_in = tokens_in + 1 where day = '${first}'`);
    await rowsOf(url, `update task_usage set cost_equiv = 1 where day = '${third}'`);
    await rowsOf(url, `delete from person_usage where day = '${last}'`);
    for (const day of ["2001-01-01", "2999-01-01"])
      await rowsOf(
        url,
        `insert into usage (project, day, lane, model, runs, failures, merges)
        values ('atlas', '${day}', '', '', 1, 0, 0)`,
      );
    for (const eventsMax of [1, 2 * eventsOfDay, 1_000])
      expect(await check(url, eventsMax)).toMatchObject({
        count: 5,
        names: ["atlas 2001-01-01", `atlas ${first}`, `atlas ${third}`],
      });
  });
});
