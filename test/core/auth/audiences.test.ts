/** A database of a version that did not index by audience is reindexed. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import type { Log } from "../../../src/core/context.ts";
import { rebuildOutdatedIndex } from "../../../src/memory/recall/rebuild-outdated.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import { dialects, event, link, openTestData, rowsOf, type TestData } from "../../support/harness.ts";
import { caller } from "../../support/memory/isolation.ts";

describe.each(dialects)("a database written by a version without audiences, on %s", (dialect) => {
  const indexes = ["decision_terms", "event_terms"];
  const emptied = (index: string) =>
    dialect === "sqlite" ? `insert into ${index} (${index}) values ('delete-all')` : `delete from ${index}`;
  const textsOf = async (data: Data) => {
    const { hits } = await recall({ data, now: () => 2 }, { query: "wallrus" }, caller);
    return hits.map(({ text }) => text).sort();
  };
  const fill = async ({ data }: TestData) => {
    await link(data, "atlas");
    await data.append([event({ kind: "run.failed", project: "atlas", summary: "The walrus fell" })]);
    const fields = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe", valid_from: 1 };
    await data.atomically((writes) => writes.addDecision({ ...fields, text: "Draw a walrus" }));
    await textsOf(data); // which indexes what is pending
  };

  test("opens at once, shows limited callers nothing, and is reindexed in the background", async () => {
    await using testData = await openTestData(dialect);
    await fill(testData);
    for (const statement of [
      ...indexes.map(emptied),
      "drop table project_words",
      "drop table recall_indexes",
      "delete from schema_migrations where name in ('0013_audiences', '0016_recall_indexes')",
    ])
      await rowsOf(testData.url, statement);
    const logged: string[] = [];
    const log: Log = (_, message) => void logged.push(message);
    for (let round = 0; round < 2; round++) {
      const data = await openData(testData.url, { now: testData.clock.now, log });
      if (round === 0) expect(await textsOf(data)).toEqual([]);
      await rebuildOutdatedIndex({ data, log }, () => true);
      expect(await textsOf(data)).toEqual(["Draw a walrus", "The walrus fell"]);
      expect(await data.findInconsistencies()).toEqual([]);
      await data.close();
    }
    expect(logged).toEqual([
      "rebuilding the recall index in the background: this version analyzes text differently",
      "the recall index is rebuilt",
    ]);
  });

  test("is reported by the doctor and repaired if that version ran on beside a newer one", async () => {
    await using testData = await openTestData(dialect);
    await fill(testData);
    const before =
      dialect === "sqlite" ? "(rowid, body) values (1, 'walru')" : "(id, terms) values (1, $$'walru':1$$)";
    for (const index of indexes)
      for (const statement of [emptied(index), `insert into ${index} ${before}`])
        await rowsOf(testData.url, statement);
    expect(await textsOf(testData.data)).toEqual([]);
    expect(await testData.data.findInconsistencies()).toEqual([
      { kind: "index", names: ["decisions", "events"], count: 2 },
    ]);
    await testData.data.rebuildDerivedRows(["index"]);
    expect(await testData.data.findInconsistencies()).toEqual([]);
    expect(await textsOf(testData.data)).toEqual(["Draw a walrus", "The walrus fell"]);
  });
});
