/** Whether the cost of an event was reported or computed, from the append to the page of the feed. */
import { describe, expect, test } from "bun:test";
import type { Appendable } from "../../../src/feed/rows.ts";
import { dialects, event, must, openTestData, storedEvents } from "../../support/harness.ts";

describe.each(dialects)("cost_source on %s", (dialect) => {
  const stored = async (fields: Partial<Appendable>) => {
    await using testData = await openTestData(dialect);
    await testData.data.append([event(fields)]);
    const [row] = await storedEvents(testData.url);
    const [page] = await testData.data.feed(null, { limit: 1 });
    return { row: must(row).cost_source, wire: JSON.parse(must(page).wire) };
  };

  test("is reported for a cost that the sender names", async () => {
    const { row, wire } = await stored({ cost_equiv: 0.42 });
    expect(row).toBe("reported");
    expect(wire).toMatchObject({ cost_equiv: 0.42, cost_source: "reported" });
  });

  test("is what the sender says, for a cost of nothing as well", async () => {
    expect((await stored({ cost_equiv: 0.42, cost_source: "computed" })).wire.cost_source).toBe("computed");
    expect((await stored({ cost_equiv: 0, cost_source: "reported" })).wire.cost_source).toBe("reported");
  });

  test("is absent without a cost, as in events from before this field", async () => {
    const { row, wire } = await stored({ tokens_in: 7 });
    expect(row).toBeNull();
    expect(wire).not.toHaveProperty("cost_source");
  });
});
