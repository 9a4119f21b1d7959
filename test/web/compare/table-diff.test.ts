/** Parquet files are compared as far as their rows were read. */
import { expect, test } from "bun:test";
import { diffTables } from "../../../src/web/desk/compare/table-diff.ts";
import { readTable } from "../../../src/web/desk/text/table.ts";

const table = (depths: number[], count = depths.length) => ({
  header: ["berth", "depth"],
  rows: depths.map((depth, at) => [`A ${at}`, String(depth)]),
  count,
  columns: 2,
  unread: [],
});

test("the rows of two tables are compared as lines", () => {
  const diff = diffTables(table([1, 2, 3]), table([1, 4, 3]));
  expect(diff).toMatchObject({
    hunks: [{ lines: [" berth | depth", " A 0 | 1", "-A 1 | 2", "+A 1 | 4", " A 2 | 3"] }],
  });
  expect(diff).not.toHaveProperty("note");
});

test("rows that were not read are said not to be compared", () => {
  expect(diffTables(table([1], 1_204), table([1]))).toMatchObject({
    hunks: [],
    note: "Not all was compared. The first 1 of 1,204 rows, 2 columns. Download both to compare the rest.",
  });
  expect(diffTables(null, table([1]))).toEqual({ why: "One of these files cannot be read as a table." });
});

test("the row that the end of what is read goes through is not counted as uneven", () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `${at},berth ${at},free`);
  expect(readTable(["number,berth,state", ...rows].join("\n"))).toMatchObject({ uneven: 0, isCut: true });
});
