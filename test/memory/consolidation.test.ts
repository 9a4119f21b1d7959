/** Consolidation summarizes usage and updates the digest, and resumes after an interruption. */
import { describe, expect, test } from "bun:test";
import type { Context } from "../../src/api/context.ts";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { dayMicros } from "../../src/core/lib/time.ts";
import { consolidate } from "../../src/memory/consolidate.ts";
import { getProject } from "../../src/overview/projects/project-detail.ts";
import { command } from "../support/commands/command.ts";
import { dialects, event, freshDatabase } from "../support/harness.ts";
import { eventsOf, openMemory } from "../support/memory/memory.ts";

describe.each(dialects)("consolidation on %s", (dialect) => {
  const run = (fields: Parameters<typeof event>[0]) =>
    event({ kind: "run.finished", project: "atlas", lane: "lane_a", ...fields });

  test("summarizes usage by project, day, lane and model, and updates the digest", async () => {
    await using app = await openMemory(dialect);
    const { ctx, clock } = app;
    await ctx.data.atomically((writes) =>
      writes.append([
        run({ model: "m-1", tokens_in: 100, cost_equiv: 0.5 }),
        run({ model: "m-1", tokens_in: 50, kind: "run.failed" }),
        run({ model: "m-2", ts: clock.now() - dayMicros }),
        event({ kind: "pr.merged", project: "atlas" }),
        run({ project: "beacon" }),
      ]),
    );
    const done = await consolidate(ctx);
    expect(done).toEqual([
      { project: "atlas", events: 4, rollups: 3 },
      { project: "beacon", events: 1, rollups: 1 },
    ]);
    const rows = await ctx.data.rollups("atlas", 10);
    expect(
      rows.map((row) => [
        row.day,
        row.lane,
        row.model,
        row.runs,
        row.failures,
        row.merges,
        row.tokens_in,
        row.cost_equiv,
      ]),
    ).toEqual([
      ["2026-03-01", "", "", 0, 0, 1, 0, 0],
      ["2026-03-01", "lane_a", "m-1", 2, 1, 0, 150, 0.5],
      ["2026-02-28", "lane_a", "m-2", 1, 0, 0, 0, 0],
    ]);
    expect(rows).toEqual(
      (await ctx.data.usage("atlas", "2000-01-01")).toSorted((a, b) => b.day.localeCompare(a.day)),
    );
    expect((await getProject(ctx, "atlas", adminCaller)).digest).toEqual({ digested: 5, total: 5 });
    expect(
      (await eventsOf(ctx, "memory.consolidated")).map(({ project, actor }) => [project, actor]),
    ).toEqual([
      ["beacon", "bot:svc"],
      ["atlas", "bot:svc"],
    ]);
  });

  test("a second run finds nothing new, writes nothing and appends no event", async () => {
    await using app = await openMemory(dialect);
    await app.ctx.data.atomically((writes) => writes.append([run({})]));
    await consolidate(app.ctx, ["atlas"]);
    const head = await app.ctx.data.head();
    expect(await consolidate(app.ctx, ["atlas"])).toEqual([{ project: "atlas", events: 0, rollups: 0 }]);
    expect(await app.ctx.data.head()).toBe(head);
  });

  test("imported older events count as new and change the roll-up of their day", async () => {
    await using app = await openMemory(dialect);
    const past = app.clock.now() - 40 * dayMicros;
    for (const tokens_in of [10, 7]) {
      await app.ctx.data.atomically((writes) => writes.append([run({ tokens_in, ts: past })]));
      expect(await consolidate(app.ctx, ["atlas"])).toEqual([{ project: "atlas", events: 1, rollups: 1 }]);
    }
    expect((await app.ctx.data.rollups("atlas", 10)).map(({ runs, tokens_in }) => [runs, tokens_in])).toEqual(
      [[2, 17]],
    );
  });

  test("an interrupted run resumes where it stopped, with the same result as an uninterrupted one", async () => {
    await using app = await openMemory(dialect);
    const days = 700;
    const past = (index: number) => app.clock.now() - (index + 1) * dayMicros;
    await app.ctx.data.atomically((writes) =>
      writes.append(Array.from({ length: days }, (_, index) => run({ ts: past(index) }))),
    );
    let transactions = 0;
    const dying: Context = {
      ...app.ctx,
      data: {
        ...app.ctx.data,
        atomically: (work) =>
          ++transactions > 1 ? Promise.reject(new Error("killed")) : app.ctx.data.atomically(work),
      },
    };
    await expect(consolidate(dying, ["atlas"])).rejects.toThrow("killed");
    expect((await app.ctx.data.rollups("atlas", 1000)).length).toBe(500);
    expect((await getProject(app.ctx, "atlas", adminCaller)).digest).toEqual({ digested: 0, total: days });
    expect(await consolidate(app.ctx, ["atlas"])).toEqual([{ project: "atlas", events: days, rollups: 200 }]);
    expect((await app.ctx.data.rollups("atlas", 1000)).length).toBe(days);
    expect((await getProject(app.ctx, "atlas", adminCaller)).digest).toEqual({
      digested: days + 1,
      total: days + 1,
    });
    expect((await eventsOf(app.ctx, "memory.consolidated")).length).toBe(1);
  });
});

test("svc consolidate accepts one project or all and reports the result", async () => {
  await using database = await freshDatabase("sqlite");
  const env = { SVC_DATABASE_URL: database.url };
  for (const slug of ["atlas", "beacon"])
    await command(["project", "link", slug, "--repo", `acme/${slug}`], env);
  expect((await command(["consolidate", "atlas"], env)).output).toBe(
    "atlas: summarized 1 event into 0 rollups\n",
  );
  expect((await command(["consolidate"], env)).output).toBe(
    "atlas: no new events\nbeacon: summarized 1 event into 0 rollups\n",
  );
  expect((await command(["consolidate", "nope"], env)).errors).toBe(
    "svc: No project with slug 'nope'. See svc project list.\n",
  );
});
