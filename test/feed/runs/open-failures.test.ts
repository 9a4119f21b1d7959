/** Failures that a process remembers as open: until an event of their project, from any process, repairs them. */
import { describe, expect, test } from "bun:test";
import { ProjectValues } from "../../../db/feed/project-memory.ts";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { dialects, event, link, openTestData, rowsOf } from "../../support/harness.ts";

const failed = (issue: number, project = "atlas") =>
  event({ kind: "run.failed", project, issue, run_id: `run-${issue}`, actor: "agent:a" });
const passed = (issue: number, project = "atlas") =>
  event({ kind: "run.finished", project, issue, run_id: `again-${issue}`, actor: "agent:a" });

describe.each(dialects)("failures on %s", (dialect) => {
  /** Two of one project and one of another, all known to be open. */
  async function openFailed() {
    const testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
    await testData.data.append([failed(1), failed(2), failed(3, "borealis")]);
    const failures = (await testData.data.feed(null, { kind: "run.failed", limit: 10 })).map(({ ts }) => ts);
    const [third, second, first] = failures as [number, number, number];
    const repairedIn = async (data: Data) => [...(await data.repairedSince(failures))];
    expect(await repairedIn(testData.data)).toEqual([]);
    return Object.assign(testData, {
      ...{ first, second, third },
      repaired: () => repairedIn(testData.data),
      openOther: () => openData(testData.url, { now: () => Date.now() * 1000, log() {} }),
    });
  }

  test("are repaired once another run of their task passes, and others stay open", async () => {
    await using found = await openFailed();
    await found.data.append([passed(1)]);
    expect(await found.repaired()).toEqual([found.first]);
    await found.data.append([passed(3, "borealis")]);
    expect((await found.repaired()).sort()).toEqual([found.first, found.third]);
  });

  test("are repaired by what another process appends", async () => {
    await using found = await openFailed();
    const other = await found.openOther();
    await other.append([passed(2)]);
    await other.close();
    expect(await found.repaired()).toEqual([found.second]);
  });

  test("are looked up again where nothing was appended but rows were rewritten", async () => {
    await using found = await openFailed();
    await rowsOf(found.url, "update runs set status = 'finished' where id = 'run-1'");
    expect(await found.repaired()).toEqual([]); // it is known to be open
    await rowsOf(found.url, "update feed_head set budgets = budgets + 1");
    expect(await found.repaired()).toEqual([found.first]);
  });
});

describe("values of projects", () => {
  test("are dropped once there are as many as allowed", () => {
    const open = new ProjectValues<true>(100);
    for (let ts = 0; ts < 100; ts++) open.set(ts, "atlas", true);
    expect([open.get(0), open.get(99)]).toEqual([true, true]);
    open.set(100, "atlas", true);
    expect([open.get(0), open.get(100)]).toEqual([undefined, true]);
  });

  test("of a project that changed are dropped, and those of others are not", () => {
    const open = new ProjectValues<true>(100);
    open.set(1, "atlas", true);
    open.set(2, "borealis", true);
    open.moveTo({ id: 3, budgets: 0 }, new Set(["atlas"]));
    expect([open.get(1), open.get(2)]).toEqual([undefined, true]);
    open.moveTo({ id: 4, budgets: 1 }, null);
    expect(open.get(2)).toBeUndefined();
  });
});
