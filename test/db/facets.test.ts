/** Facets that two processes create: both list events under the same one. */
import { expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { dialects, event, link, migratedDatabase, rowsOf, testClock } from "../support/harness.ts";

test.each(dialects)(
  "on %s, an append adds the facets that are new, and finds those that another process added",
  async (dialect) => {
    await using database = await migratedDatabase(dialect);
    const { now } = testClock("2026-03-01T11:00:00Z");
    const [first, second] = await Promise.all([
      openData(database.url, { now, log() {} }),
      openData(database.url, { now, log() {} }),
    ]);
    await link(first, "alpha");
    const step = (actor: string) => event({ kind: "step.usage", project: "alpha", actor });
    const told = [
      await first.append([step("agent:a"), step("agent:b")]),
      await second.append([step("agent:c"), step("agent:b"), step("agent:a"), step("agent:a")]),
      await first.append([step("agent:c"), step("agent:d")]),
    ].flatMap(({ added }) => added);
    const facets = await rowsOf(database.url, "select actor from facets order by actor");
    expect(facets.map(({ actor }) => actor)).toEqual(["agent:a", "agent:b", "agent:c", "agent:d"]);
    const listed = await rowsOf(
      database.url,
      "select ts, actor from facet_events join facets on facets.id = facet order by ts",
    );
    expect(listed.map(({ ts, actor }) => [Number(ts), actor])).toEqual(
      told.map(({ ts, actor }) => [ts, actor]),
    );
    await Promise.all([first.close(), second.close()]);
  },
);
