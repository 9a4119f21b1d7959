/** The query plans of pages of decisions: each reads a range of one index, whatever the project has. */
import { describe, expect, test } from "bun:test";
import type { Projects } from "../../src/core/rows.ts";
import { decisionStatuses } from "../../src/memory/schema.ts";
import type { ReadCalls } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects, openTestData, rowsOf } from "../support/harness.ts";

const count = 15_000;
const newest = Date.UTC(2026, 5, 1) * 1000;
const after = { valid_from: newest - 1_000_000, id: 7 };

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(
    dialect,
    async (testData) => {
      const numbers =
        dialect === "sqlite"
          ? `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`
          : `with numbers as (select generate_series(1::bigint, ${count}) as n)`;
      // The project "silent" made its 300 decisions before all others did.
      await rowsOf(
        testData.url,
        `insert into decisions (project, text, source, actor, valid_from, valid_until, supersedes) ${numbers}
       select case when n <= 300 then 'silent' else 'p' || (n % 50) end, 'Rule ' || n, 'cli', 'human:mara',
         ${newest} - (${count} - n) * 1000000, case when n % 3 = 0 then ${newest} - (${count} - n - 1) * 1000000 end,
         case when n % 3 = 1 and n > 1 then n - 1 end from numbers`,
      );
      await rowsOf(
        testData.url,
        `insert into rollups (project, day, lane, model, runs, failures, merges) ${numbers}
       select 'p' || (n % 50), '2026-01-' || (10 + n % 20), 'lane_a', 'm' || n, 1, 0, 0 from numbers`,
      );
      await rowsOf(
        testData.url,
        `insert into briefs (project, run_id, at, hash, chars) ${numbers}
       select 'p' || (n % 50), 'run ' || n, n, 'hash', 1 from numbers`,
      );
      await rowsOf(
        testData.url,
        `insert into runs (id, project, actor, models, status, started_at, last_event_at, listed_at, steps,
         tokens_in, tokens_out,
         cache_read, cache_write, cost_equiv, summary, assets, decisions, marks) ${numbers}
       select 'run ' || n, 'p' || (n % 50), 'agent:codex', '[]', 'finished', n, n, n, 0, 0, 0, 0, 0, 0, 'Done', 0, 0, '{}'
       from numbers`,
      );
      await rowsOf(
        testData.url,
        `insert into brief_decisions (decision, brief) ${numbers} select n % 60, n from numbers`,
      );
      if (dialect === "postgres") await rowsOf(testData.url, "analyze");
    },
    openTestData,
  );

  /** The wasteful steps, and on SQLite the indexes of decisions that were used. */
  async function planOf(work: ReadCalls) {
    const steps = await db.plans.steps(work);
    const indexes = steps.flatMap(
      (step) => /decisions USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1] ?? [],
    );
    return {
      waste: (await db.plans.wasted(work)).map(({ of, what }) => `${what}: ${of}`),
      // A prepared statement is planned with and without its limit.
      indexes: [...new Set(indexes)],
    };
  }
  const oneProject = /^decisions_(project|current)$/;
  const pages = (projects: Projects) =>
    decisionStatuses.flatMap((status) =>
      [{}, { after }, { asOf: newest - 5_000_000 }, { asOf: newest - 5_000_000, after }].map((more) => ({
        name: `${status} ${Object.keys(more)}`,
        isAsOf: "asOf" in more && status === "current",
        work: ((reads) => reads.decisions(projects, { status, limit: 31, ...more })) as ReadCalls,
      })),
    );
  /** Decisions that are not replaced until a time have no range of their own: a page skips the others. */
  const skipped = (isAsOf: boolean) => (isAsOf && dialect === "postgres" ? ["filters rows: decisions"] : []);

  test.each([
    ["of one project", ["silent"], oneProject],
    ["of all projects", null, /^decisions_newest$/],
  ] as const)("a page %s is a range of one index, already sorted", async (_name, projects, index) => {
    for (const { name, work, isAsOf } of pages(projects)) {
      const { waste, indexes } = await planOf(work);
      expect([name, waste]).toEqual([name, skipped(isAsOf)]);
      if (dialect === "sqlite") expect([name, indexes]).toEqual([name, [expect.stringMatching(index)]]);
    }
  });

  test("a page of several projects sorts only the first rows of each", async () => {
    const some = ["silent", "p1", "p2"];
    for (const { name, work, isAsOf } of pages(some)) {
      const { waste, indexes } = await planOf(work);
      const others = waste.filter((one) => one !== "sorts: matches");
      expect([name, others]).toEqual([name, skipped(isAsOf)]);
      if (dialect === "sqlite") expect([name, indexes]).toEqual([name, [expect.stringMatching(oneProject)]]);
    }
  });

  test.if(dialect === "sqlite")("what waits for a person is found in the index of what waits", async () => {
    const works: [string, ReadCalls][] = [
      ["decisions_proposed", (reads) => reads.proposedDecisions(["silent"], 50)],
      ["decisions_gone", (reads) => reads.goneDecisions(["silent"], 50)],
      ["decisions_held", (reads) => reads.heldDecisions(["silent"], 50)],
      ["decisions_held", (reads) => reads.heldDecisions(null, 50)],
    ];
    for (const [index, work] of works) expect((await planOf(work)).indexes).toEqual([index]);
  });

  test("one decision, who used it, the run of an asset, and the digests of a project use an index", async () => {
    const works: ReadCalls[] = [
      (reads) => reads.decision(null, 7),
      (reads) => reads.decisionReplacing(7),
      (reads) => reads.briefsWithDecision(7, { limit: 21 }),
      (reads) => reads.briefsWithDecision(7, { limit: 21, before: 9 }),
      (reads) => reads.ruleRunAt("p1", "agent:codex issue 7", newest),
      (reads) => reads.digests("p1", { limit: 31 }),
      (reads) => reads.digests("p1", { limit: 31, before: "2026-01-15" }),
    ];
    // The newest brief of a run is found among its own; those that clients cached are a few for each client.
    const ofBriefs = ["sorts: matches", "filters rows: briefs"];
    for (const work of works)
      expect((await planOf(work)).waste.filter((one) => !ofBriefs.includes(one))).toEqual([]);
    for (const work of works.slice(-2)) expect((await planOf(work)).waste).toEqual([]);
  });
});
