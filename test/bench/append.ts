/**
 * Appends through `POST /events`: batches of 100 against a plain loop of inserts as durable, and single
 * events of many writers at once.
 */
import { join } from "node:path";
import { measureAppendOnPostgres } from "./append-postgres.ts";
import { makeDatabase } from "./events.ts";
import { inRounds, type Place, type Result, ratioOf } from "./measure.ts";
import { append, measureSingles, perSecond, rounds } from "./singles.ts";

const batches = 100;
const batchLength = 100;
const connections = 4;

export async function measureAppend(place: Place, svc: string): Promise<Result[]> {
  for (const name of ["ours", "plain"]) await makeDatabase(place.path(`${name}.db`), 0);
  const env = { SVC_PORT: "0", SVC_RATE_LIMIT: "off", SVC_API_TOKENS: "bench:feed:write" };
  const url = await place.serve([svc, "serve"], {
    ...env,
    SVC_DATABASE_URL: `sqlite:${place.path("ours.db")}`,
  });
  const plain = place.run([
    process.execPath,
    join(import.meta.dir, "plain/append.ts"),
    place.path("plain.db"),
  ]);
  const firstOf = { ours: 0, plain: 0 };
  const nextFirst = (who: keyof typeof firstOf): number => (firstOf[who] += batches * batchLength);
  const found = await inRounds(rounds, {
    ours: async () => {
      const first = nextFirst("ours");
      const requests = Array.from({ length: batches }, (_, batch) =>
        append(first + batch * batchLength, batchLength),
      );
      return (await place.fire({ url, connections, requests })) * batchLength;
    },
    plain: () => plain({ first: nextFirst("plain"), batches }),
  });
  const ratio = ratioOf(found.ours, found.plain);
  const [svcRate, ceiling] = [perSecond(found.ours), perSecond(found.plain)];
  return [
    {
      measure: "append, batches of 100",
      svc: svcRate,
      ceiling,
      ratio,
      aim: "at least 0.60 x",
      reached: ratio >= 0.6,
    },
    ...(await measureSingles(place, url, "append")),
    ...(await measureAppendOnPostgres(place, svc, env)),
  ];
}
