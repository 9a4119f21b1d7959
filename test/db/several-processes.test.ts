/** Appends of two processes on one Postgres, whose clocks differ. */
import { expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { renderEvent } from "../../src/feed/render-event.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { event, link, migratedDatabase, rowsOf, testClock } from "../support/harness.ts";

/** Two processes on one database, the clock of the second 10 seconds behind. */
async function openTwo() {
  const database = await migratedDatabase("postgres");
  const clocks = [testClock("2026-03-01T11:00:10Z"), testClock("2026-03-01T11:00:00Z")];
  const [ahead, behind] = await Promise.all(
    clocks.map(({ now }) => openData(database.url, { now, log() {} })),
  );
  const processes = { ahead: ahead as Data, behind: behind as Data };
  await link(processes.ahead, "alpha");
  await link(processes.ahead, "beta");
  return {
    ...processes,
    rows: (query: string) => rowsOf(database.url, query),
    async [Symbol.asyncDispose]() {
      await Promise.all([processes.ahead.close(), processes.behind.close()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

const step = (fields: Partial<Appendable> = {}): Appendable =>
  event({ kind: "step.usage", project: "alpha", run_id: "r-1", ...fields });

test("the times of an append are behind those of another process, and with them those of its runs", async () => {
  await using two = await openTwo();
  const { ahead, behind } = two;
  const start = step({ kind: "run.started", run_id: null });
  const end = step({ kind: "run.finished", duration_ms: 5 });
  await behind.append([step(), start, end]);
  await ahead.append([step({ project: "beta" })]);
  const { added } = await behind.append([step({ run_id: "r-2" }), start, end]);
  const [newest] = await two.rows("select max(ts) as ts from events where project = 'beta'");
  expect(added.map(({ ts }) => ts - Number(newest?.ts))).toEqual([1, 2, 3]);
  await behind.append([step({ run_id: "r-2" }), step({ run_id: null }), end]);
  expect(await behind.findInconsistencies()).toEqual([]);
  const wires = await ahead.feed(null, { limit: 3, before: (added[2]?.ts as number) + 1 });
  expect(wires.map(({ wire }) => wire)).toEqual(added.toReversed().map(renderEvent));
});

test("a run and an issue that two processes report in turn have the state of all events", async () => {
  await using two = await openTwo();
  for (let turn = 0; turn < 12; turn++)
    for (const data of [two.ahead, two.behind]) {
      const kind = turn % 3 ? "issue.opened" : "issue.closed";
      await data.append([step({ tokens_in: 1 }), step({ kind, issue: 1 + (turn % 2), run_id: null })]);
    }
  const [run] = await two.rows("select steps, tokens_in from runs where id = 'r-1'");
  expect([Number(run?.steps), Number(run?.tokens_in)]).toEqual([24, 24]);
  expect(await two.ahead.findInconsistencies()).toEqual([]);
});

test("a key that another process used is a duplicate, and concurrent appends use it once", async () => {
  await using two = await openTwo();
  const { ahead, behind } = two;
  const keyed = (number: number, project: string) => [
    step({ project, dedupe_key: `k-${number}` }),
    step({ project }),
  ];
  for (let number = 0; number < 20; number++) {
    const results = await Promise.all([
      ahead.append(keyed(number, "alpha")),
      behind.append(keyed(number, "beta")),
    ]);
    expect(results.map(({ duplicates }) => duplicates).toSorted()).toEqual([0, 1]);
    const again = await behind.append(keyed(number, "beta"));
    expect([again.added.length, again.duplicates]).toEqual([1, 1]);
  }
  expect(await ahead.findInconsistencies()).toEqual([]);
});

test("a budget that counts the events of two processes is spent by all, and notifies once for each threshold", async () => {
  await using two = await openTwo();
  const budget = {
    project: null,
    team: null,
    person: null,
    lane: null,
    model: null,
    period: "month",
    amount: 10,
  } as const;
  const changed = { changed_by: "maria", changed_at: 0, since: "2026-03-01" };
  await two.ahead.atomically((writes) => writes.addBudget({ ...budget, ...changed }));
  for (let turn = 0; turn < 12; turn++)
    for (const [data, project] of [
      [two.ahead, "alpha"],
      [two.behind, "beta"],
    ] as const)
      await data.append([step({ project, cost_equiv: 0.5 })]);
  const [period] = await two.rows("select spent from budget_periods");
  expect(period?.spent).toBe(12);
  const notices = await two.rows("select wire from events where kind like 'budget.%' order by id");
  expect(notices.map(({ wire }) => JSON.parse(String(wire)).summary)).toEqual([
    expect.stringContaining("50%"),
    expect.stringContaining("80%"),
    expect.stringContaining("is spent"),
  ]);
  expect(await two.ahead.findInconsistencies()).toEqual([]);
});
