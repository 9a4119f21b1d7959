/**
 * How well recall answers the published set, on each database, beside a search for the query letter by
 * letter; its slowest answer.
 */
import { openData } from "../../../db/open.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import { hostileQueries } from "../../memory/recall/hostile.ts";
import { type Quality, qualityOf, substringSearch, wordSearch } from "../../memory/recall/measure.ts";
import {
  answersOf,
  fill,
  type Memory,
  type Query,
  readMemories,
  readQueries,
} from "../../memory/recall/set.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { limitedResult } from "../measuring/targets.ts";

const hostileCount = 1_000;
const mostMs = 500;

export async function measureRecall(place: Place): Promise<Result[]> {
  const memories = await readMemories();
  const queries = await readQueries(memories);
  const results = await measureOn("sqlite", `sqlite:${place.path("recall.db")}`, memories, queries);
  const postgres = await place.startPostgres({ durable: false });
  return [...results, ...(await measureOn("postgres", postgres.url, memories, queries))];
}

async function measureOn(
  dialect: string,
  url: string,
  memories: Memory[],
  queries: Query[],
): Promise<Result[]> {
  const now = () => Date.now() * 1000;
  const data = await openData(url, { now, log() {} });
  await fill(data, memories);
  const ours = qualityOf(queries, await answersOf({ data, now }, memories, queries));
  let slowest = 0;
  for (const query of hostileQueries(hostileCount)) {
    const start = performance.now();
    await recall({ data, now }, { query }, adminCaller);
    slowest = Math.max(slowest, performance.now() - start);
  }
  await data.close();
  const searches = { "a substring search": substringSearch, "a search for each word": wordSearch };
  return [
    ...Object.entries(searches).flatMap(([name, search]) => {
      const found = queries.map((query) => search(memories, query));
      return compare(
        `${dialect}, ${queries.length} queries, against ${name}`,
        ours,
        qualityOf(queries, found),
      );
    }),
    limitedResult(
      `recall on ${dialect}, slowest of ${hostileCount} hostile queries`,
      `${slowest.toFixed(0)} ms`,
      slowest,
      [mostMs, "ms"],
    ),
  ];
}

const compare = (where: string, ours: Quality, theirs: Quality): Result[] =>
  (["recallAt5", "mrr"] as const).map((value) => ({
    ...{
      measure: `${value === "mrr" ? "MRR" : "recall@5"} on ${where}`,
      svc: ours[value].toFixed(3),
      ceiling: theirs[value].toFixed(3),
    },
    ...{ ratio: ours[value] / theirs[value], amount: 1 / ours[value] },
    ...{ aim: "better than the other search", reached: ours[value] > theirs[value] },
  }));
