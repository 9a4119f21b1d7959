/** Where the queries branch on the database. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { repositoryRoot as root } from "../support/repository.ts";
import { sources } from "../support/sources.ts";

describe("the dialects", () => {
  /** Queries that differ as a whole. Every other difference is a method of `Dialect`. */
  const branches: Record<string, { count: number; reason: string }> = {
    "db/feed/k-way-merge.ts": {
      count: 2,
      reason: "a scan keeps its order on SQLite alone, and the measured threshold differs",
    },
    "db/feed/index-range.ts": {
      count: 1,
      reason: "SQLite uses a partial index only by its literal condition",
    },
    "db/library/assets/asset-pages.ts": {
      count: 1,
      reason: "on Postgres the filter is part of the sort order",
    },
  };
  const branch = /\bdialect(\.name)?\s*(===|!==|\])|"(sqlite|postgres)"|\bis(Sqlite|Postgres)\b/gi;

  test("are told apart in these queries alone, each for a reason", () => {
    const found = sources
      .filter(({ path }) => path.startsWith("db/") && !path.startsWith("db/dialect/"))
      .map(
        ({ path, text }) =>
          [path, text.split("\n").filter((line) => line.search(branch) >= 0).length] as const,
      )
      .filter(([, count]) => count > 0);
    const allowed = Object.entries(branches).map(([path, { count }]) => [path, count] as const);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(allowed));
  });

  test("are told apart as often as the Architecture page says", async () => {
    const page = await Bun.file(join(root, "ARCHITECTURE.md")).text();
    const total = Object.values(branches).reduce((sum, { count }) => sum + count, 0);
    expect(page.replace(/\s+/g, " ")).toContain(`${total} branches on the database remain`);
  });
});
