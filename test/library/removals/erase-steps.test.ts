/** A person with many events is erased in steps: others append meanwhile, and a crash between two is made good. */
import { describe, expect, test } from "bun:test";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { finishRemovals } from "../../../src/library/removals/finish.ts";
import { dialects, event, link, openApp, rowsOf, type TestApp } from "../../support/harness.ts";

const eventsMade = 2_100;
const name = /zorro/i;

async function openWithZorro(dialect: (typeof dialects)[number]) {
  const app = await openApp(dialect);
  await link(app.ctx.data, "atlas");
  const fields = { project: "atlas", actor: "human:zorro", person: "zorro", team: "maps", cost_equiv: 1 };
  await app.ctx.data.append(
    Array.from({ length: eventsMade }, (_, at) =>
      event({ ...fields, kind: "run.failed", run_id: `run-${at % 40}`, summary: `Zorro failed ${at}` }),
    ),
  );
  return app;
}

async function left({ ctx, url }: TestApp): Promise<number> {
  let found = 0;
  await ctx.data.snapshot(async (rows) => {
    for (const table of rows.tables)
      for await (const page of rows.rows(table))
        found += page.filter((row) => name.test(JSON.stringify(row))).length;
  });
  for (const table of ["runs", "facets", "person_usage", "task_usage", "words"])
    found += (await rowsOf(url, `select * from ${table}`)).filter((row) =>
      name.test(JSON.stringify(row)),
    ).length;
  return found;
}

const input = { kind: "person", subject: "zorro", reason: "It must go." };
const doctor = async ({ ctx }: TestApp) =>
  (await checkRows(ctx, { deep: true })).filter(({ level }) => level !== "ok");

describe.each(dialects)("on %s", (dialect) => {
  test("appends are stored between the steps of an erasure, which changes all rows and their sums alike", async () => {
    await using app = await openWithZorro(dialect);
    const admin = await app.mint(allScopes, { name: "lead" });
    let isDone = false;
    const erased = app.ask("/api/v1/removals", { token: admin, json: input }).finally(() => (isDone = true));
    let meanwhile = 0;
    for (; !isDone; meanwhile++) {
      await app.ctx.data.append([event({ project: "atlas", summary: "Ana goes on" })]);
      await new Promise(setImmediate);
    }
    expect([(await erased).status, meanwhile > 2]).toEqual([200, true]);
    expect(await left(app)).toBe(0);
    const sums = "select sum(cost_equiv) as cost from person_usage where person = 'erased-1'";
    await app.ctx.data.usage("atlas", "2000-01-01");
    expect((await rowsOf(app.url, sums)).map(({ cost }) => Number(cost))).toEqual([eventsMade]);
    expect(await doctor(app)).toEqual([]);
  });

  test("an erasure that ends after any of its steps is finished by the next server", async () => {
    await using app = await openWithZorro(dialect);
    const admin = await app.mint(allScopes, { name: "lead" });
    const { data } = app.ctx;
    const { atomically } = data;
    let writes = 0;
    const untilThird: typeof atomically = (work, options) => {
      if (++writes > 3) throw new Error("The process ends.");
      return atomically(work, options);
    };
    data.atomically = untilThird;
    expect((await app.ask("/api/v1/removals", { token: admin, json: input })).status).toBe(500);
    data.atomically = atomically;
    expect(await doctor(app)).toEqual([]);
    const begun = await left(app);
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(eventsMade);
    expect((await data.unfinishedRemovals(9)).length).toBe(1);
    await finishRemovals(app.ctx);
    expect([await left(app), await data.unfinishedRemovals(9)]).toEqual([0, []]);
    expect(await doctor(app)).toEqual([]);
  });
});
