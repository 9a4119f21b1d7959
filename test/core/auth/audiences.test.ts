/** A recall index that says nothing of who may read its texts. */
import { describe, expect, test } from "bun:test";
import type { Data } from "../../../src/api/port.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import { dialects, event, link, openTestData, rowsOf, type TestData } from "../../support/harness.ts";
import { caller } from "../../support/memory/isolation.ts";

describe.each(dialects)("a recall index without audiences on %s", (dialect) => {
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

  test("is reported by the doctor and repaired", async () => {
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
