/** A pull request belongs to its issue: cost and merge meet, in whatever order events come. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { minuteMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { readGroups } from "../../../src/feed/usage/groups.ts";
import type { UsageReport } from "../../../src/feed/usage/schema.ts";
import { dialects, event, link, must, openApp } from "../../support/harness.ts";

const begin = toMicros("2026-02-27T12:00:00Z");
const slugs = ["atlas", "borealis"];
const range = { from: "2026-02-20", to: "2026-03-10" };

/** What is expected of a task, in cents. */
interface Expected {
  cents: number;
  merges: number;
}

/** The imported events of a task, its merge, and what its usage must be. */
function madeTask(number: number) {
  const project = slugs[number % 2] as string;
  const [issue, pr, run_id] = [number, 10_000 + number, `run-${number}`];
  const past: Appendable[] = [];
  const expected = new Map<string, Expected>();
  const spent = (task: string, cents: number, merges = 0) => {
    const sum = expected.get(`${project} ${task}`) ?? { cents: 0, merges: 0 };
    expected.set(`${project} ${task}`, { cents: sum.cents + cents, merges: sum.merges + merges });
  };
  const add = (kind: Appendable["kind"], fields: object, task = `issue ${issue}`, cents = 0) => {
    const ts = begin + number * minuteMicros + past.length;
    past.push(event({ kind, project, actor: `agent:${number % 7}`, ts, cost_equiv: cents / 100, ...fields }));
    spent(task, cents);
  };
  const cents = (part: number) => ((number * 37 + part * 101) % 900) + 1;
  const ofPr = `pr ${pr}`;
  let merge: object = { pr };
  if (number % 6 === 0) {
    // One event of the run names both.
    add("run.started", { run_id, issue });
    add("step.usage", { run_id, issue }, undefined, cents(1));
    add("run.finished", { run_id, issue, pr }, undefined, cents(2));
    add("step.usage", { pr }, undefined, cents(3));
  } else if (number % 6 === 1) {
    // The run names one each.
    add("run.started", { run_id, issue });
    add("step.usage", { run_id, issue }, undefined, cents(1));
    add("run.finished", { run_id, pr }, undefined, cents(2));
  } else if (number % 6 === 2) {
    // The merge says what it fixes; the opening named another issue. Runs have no id.
    add("run.started", { issue });
    add("run.finished", { issue }, undefined, cents(1));
    add("run.started", { pr });
    add("run.failed", { pr }, undefined, cents(2));
    add("pr.opened", { pr, issue: 50_000 + number });
    merge = { pr, issue };
  } else if (number % 6 === 3) {
    // A run of another issue mentions the pull request later.
    add("step.usage", { run_id, issue, pr }, undefined, cents(1));
    add("run.finished", { run_id, issue, pr }, undefined, cents(2));
    add("step.usage", { run_id: `review-${number}`, issue: 70_000, pr }, "issue 70000", cents(3));
    add("pr.review", { pr }, undefined, cents(4));
  } else if (number % 6 === 4) {
    // No issue.
    add("run.finished", { run_id, pr }, ofPr, cents(1));
  } else {
    // Neither.
    add("step.usage", {}, "none", cents(1));
    merge = { pr };
  }
  const isOfIssue = number % 6 < 4;
  spent(isOfIssue ? `issue ${issue}` : ofPr, 0, 1);
  return { past, merge: event({ kind: "pr.merged", actor: "human:zoe", project, ...merge }), expected };
}

const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  fc.sample(fc.shuffledSubarray([...list], { minLength: list.length }), { seed, numRuns: 1 })[0] as T[];

describe.each(dialects)("a history of 1,000 tasks in any order, on %s,", (dialect) => {
  test("costs to the cent what each task and each merged pull request took", async () => {
    const check = fc.asyncProperty(fc.integer(), async (seed) => {
      await using app = await openApp(dialect);
      const { data } = app.ctx;
      for (const slug of slugs) await link(data, slug);
      const tasks = Array.from({ length: 1000 }, (_, index) => madeTask(index + 1));
      const past = shuffled(
        tasks.flatMap((task) => task.past),
        seed,
      );
      for (let at = 0; at < past.length; at += 500) await data.append(past.slice(at, at + 500));
      // Live, after their cost was read once.
      await readGroups(data, null, { ...range, by: "task", interval: null });
      const merges = shuffled(
        tasks.map(({ merge }) => merge),
        seed,
      );
      for (let at = 0; at < merges.length; at += 100) await data.append(merges.slice(at, at + 100));

      const expected = new Map<string, Expected>();
      for (const [key, { cents, merges }] of tasks.flatMap((task) => [...task.expected])) {
        const sum = expected.get(key) ?? { cents: 0, merges: 0 };
        expected.set(key, { cents: sum.cents + cents, merges: sum.merges + merges });
      }
      const taskOf = (issue: number | null, pr: number | null) =>
        issue !== null ? `issue ${issue}` : pr !== null ? `pr ${pr}` : "none";
      const read = async () => {
        const { totals } = await readGroups(data, null, { ...range, by: "task", interval: null });
        return [...totals.values()].map(({ key: { project, issue, pr }, sums }) => [
          `${project} ${taskOf(issue, pr)}`,
          Math.round(sums.cost_equiv * 100),
          sums.merges,
        ]);
      };
      const rows = [...expected]
        .filter(([, { cents, merges }]) => cents + merges > 0)
        .map(([key, { cents, merges }]) => [key, cents, merges])
        .toSorted();
      expect((await read()).toSorted()).toEqual(rows);
      expect(await data.findInconsistencies()).toEqual([]);
      // The API says the same of the costliest tasks, of all, and of what names no task.
      const query = `by=task&from=${range.from}&to=${range.to}&limit=200`;
      const token = await app.mint(["feed:read"]);
      const response = await app.ask(`/api/v1/usage?${query}`, { token });
      const report: UsageReport = await response.json();
      const all = [...expected.values()];
      const cents = all.reduce((sum, task) => sum + task.cents, 0);
      const merged = all.reduce((sum, task) => sum + task.merges, 0);
      expect([Math.round(report.total.cost_equiv * 100), report.total.merges]).toEqual([cents, merged]);
      expect(report.cost_per_merge).toBeCloseTo(cents / 100 / merged, 6);
      const none = slugs.reduce((sum, slug) => sum + (expected.get(`${slug} none`)?.cents ?? 0), 0);
      expect(Math.round(must(report.unattributed).cost_equiv * 100)).toBe(none);
      for (const { project, issue, pr, rest, cost_equiv, merges, cost_per_merge } of report.rows) {
        if (rest) continue;
        const task = must(expected.get(`${project} ${taskOf(issue, pr)}`));
        expect([Math.round(cost_equiv * 100), merges]).toEqual([task.cents, task.merges]);
        const perMerge = cost_per_merge === null ? null : Math.round(cost_per_merge * 100 * task.merges);
        expect(perMerge).toBe(task.merges > 0 ? task.cents : null);
      }
      const costliest = rows.map(([, cents]) => Number(cents)).toSorted((a, b) => b - a);
      const listed = report.rows.filter(({ rest }) => !rest);
      expect(listed.map(({ cost_equiv }) => Math.round(cost_equiv * 100))).toEqual(costliest.slice(0, 200));
      const left = costliest.slice(200).reduce((sum, cost) => sum + cost, 0);
      expect([report.more, Math.round(must(report.rows.at(-1)).cost_equiv * 100)]).toEqual([
        costliest.length - 200,
        left,
      ]);
      await data.rebuildDerivedRows(["pulls", "usage", "runs"]);
      expect((await read()).toSorted()).toEqual(rows);
    });
    await fc.assert(check, { numRuns: 1 });
  }, 60_000);
});
