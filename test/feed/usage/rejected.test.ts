/** The cost of rejected work: the runs of each version that was rejected. */
import { describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import type { RejectedUsage } from "../../../src/overview/usage/rejected-schema.ts";
import { dialects, event, link, must, writeTo } from "../../support/harness.ts";
import { file, openLibrary } from "../../support/library.ts";

const by = "agent:codex";

describe.each(dialects)("rejected work on %s", (dialect) => {
  async function openStory() {
    const library = await openLibrary(dialect, "disk");
    await link(library.ctx.data, "beacon");
    const pass = () => library.clock.advance(60 * secondMicros);
    /** Reports a run of its own id or, without one, a run by its start and end. */
    const run = async (cost_equiv: number, more: object = {}) => {
      const events = (["run.started", "step.usage", "run.finished"] as const).map((kind) =>
        event({
          kind,
          project: "atlas",
          actor: by,
          issue: 7,
          ...more,
          ...(kind === "step.usage" && { cost_equiv }),
        }),
      );
      await library.ctx.data.append(events);
      pass();
    };
    let count = 0;
    const upload = async (more: Record<string, string> = {}) => {
      const content = file(`map-${++count}.txt`, `map ${count}`);
      const asset = must((await library.upload({ project: "atlas", issue: "7", by, ...more }, content)).body);
      pass();
      return asset.id;
    };
    const review = async (id: string, decision: "approved" | "rejected") => {
      await library.review(id, { decision, note: "Darker water." });
      pass();
    };
    const token = await library.mint(["feed:read"]);
    const report = async (query = "", as = token): Promise<RejectedUsage> =>
      (await library.ask(`/api/v1/usage/rejected?${query}`, { token: as })).json();
    return Object.assign(library, { run, uploadMap: upload, reject: review, report });
  }

  test("costs the run that the version names, or the runs of its author on its task since the version before", async () => {
    await using story = await openStory();
    await story.run(1, { run_id: "run-1" });
    const first = await story.uploadMap({ run_id: "run-1" });
    await story.reject(first, "rejected");
    await story.run(2);
    await story.run(4, { run_id: "run-2" });
    await story.run(32, { actor: "agent:other" });
    await story.run(64, { issue: 8 });
    const second = await story.uploadMap({ replaces: first });
    await story.run(128);
    await story.reject(second, "rejected");
    const third = await story.uploadMap({ replaces: second });
    await story.reject(third, "approved");
    const { total, rows, more } = await story.report();
    expect(
      rows.map(({ asset, version, issue, runs, cost_equiv }) => [asset, version, issue, runs, cost_equiv]),
    ).toEqual([
      [second, 2, 7, 2, 6],
      [first, 1, 7, 1, 1],
    ]);
    expect(total).toMatchObject({ versions: 2, runs: 3, cost_equiv: 7 });
    expect(more).toBe(0);
    expect(await story.report("limit=1")).toMatchObject({ total: { cost_equiv: 7 }, count: 1, more: 1 });
  });

  test("does not cost the runs of the version before, which was not rejected", async () => {
    await using story = await openStory();
    await story.run(1);
    const first = await story.uploadMap();
    await story.run(2);
    await story.reject(await story.uploadMap({ replaces: first }), "rejected");
    expect((await story.report()).total).toMatchObject({ versions: 1, runs: 1, cost_equiv: 2 });
  });

  test("counts each run once, for the version that was rejected first", async () => {
    await using story = await openStory();
    await story.run(8, { run_id: "run-1" });
    const [left, right] = [
      await story.uploadMap({ run_id: "run-1" }),
      await story.uploadMap({ run_id: "run-1" }),
    ];
    await story.reject(right, "rejected");
    await story.reject(left, "rejected");
    const { total, rows } = await story.report();
    expect(rows.map(({ asset, cost_equiv }) => [asset, cost_equiv])).toEqual([
      [right, 8],
      [left, 0],
    ]);
    expect(total).toMatchObject({ versions: 2, runs: 1, cost_equiv: 8 });
  });

  test("is not a version that was approved after all, and counts a version rejected twice once", async () => {
    await using story = await openStory();
    await story.run(8, { run_id: "run-1" });
    const one = await story.uploadMap({ run_id: "run-1" });
    for (const decision of ["rejected", "approved"] as const) await story.reject(one, decision);
    expect((await story.report()).total).toMatchObject({ versions: 0, cost_equiv: 0 });
    for (const decision of ["rejected", "rejected"] as const) await story.reject(one, decision);
    expect((await story.report()).total).toMatchObject({ versions: 1, cost_equiv: 8 });
  });

  test("has what a run costs more since the last report, also by an event of another process", async () => {
    await using story = await openStory();
    for (const [project, cost] of [
      ["atlas", 1],
      ["beacon", 2],
    ] as const) {
      await story.run(cost, { project, run_id: project });
      await story.reject(await story.uploadMap({ project, run_id: project }), "rejected");
    }
    const total = async () => (await story.report()).total;
    expect(await total()).toMatchObject({ versions: 2, cost_equiv: 3 });
    await story.run(4, { run_id: "atlas" });
    expect(await total()).toMatchObject({ versions: 2, cost_equiv: 7 });
    const spent = { kind: "step.usage", project: "beacon", actor: by, run_id: "beacon" } as const;
    await writeTo(story.url, (data) => data.append([event({ ...spent, cost_equiv: 8 })]));
    expect(await total()).toMatchObject({ versions: 2, cost_equiv: 15 });
  });

  test("is of the day of the rejection, and of the projects that the token may read", async () => {
    await using story = await openStory();
    await story.run(8, { run_id: "run-1" });
    await story.reject(await story.uploadMap({ run_id: "run-1" }), "rejected");
    const today = new Date(story.clock.now() / 1000).toISOString().slice(0, 10);
    expect((await story.report(`from=${today}&to=${today}`)).count).toBe(1);
    expect((await story.report("to=2026-02-28")).count).toBe(0);
    const limited = await story.mint(["feed:read"], { projects: ["beacon"] });
    expect((await story.report("", limited)).count).toBe(0);
    expect(await story.report("project=atlas", limited)).toMatchObject({ status: 404 });
    expect(await story.report("from=2026-03-02&to=2026-03-01")).toMatchObject({ status: 400 });
  });
});
