/**
 * Appends through `POST /events`: batches of 100 and single events, against a plain server that appends the same
 * events as durably to the same tables.
 */
import { eventOf, makeDatabase, projects, timeOf } from "../measuring/events.ts";
import { compareCpu, http, type Side, unique, wrk } from "../measuring/load.ts";
import type { Options, Place, Result } from "../measuring/measure.ts";
import { type Mix, usualMix } from "../measuring/mixes.ts";
import { bearer, servePlain, serveSvc, sqliteUrl, withData } from "../measuring/svc.ts";
import { countSyncs } from "../measuring/syncs.ts";

const batchLength = 100;
/** How many different requests are sent in turn. */
const variety = 50;
const writers = 64;

/** A request that appends so many events from that one on; each time it is sent with other idempotency keys. */
export function append(first: number, length: number, mix: Mix = usualMix): string {
  const events = Array.from({ length }, (_, index) => ({
    ...eventOf(first + index, mix),
    dedupe_key: `bench:${unique}:${index}`,
  }));
  const headers = { ...bearer, "Content-Type": "application/json" };
  return http("POST", "/api/v1/events", headers, JSON.stringify({ events }));
}

export async function measureAppend(place: Place, svc: string, { mix }: Options): Promise<Result[]> {
  const open = async (place: Place) => {
    for (const name of ["append", "append-plain"]) await makeDatabase(place.path(`${name}/svc.db`), 0);
    const ours = await serveSvc(place, svc, "append");
    const plain = await servePlain(place, "append", sqliteUrl(place, "append-plain"));
    return {
      ...(await sidesOf(place, "svc", ours, mix)),
      ...(await sidesOf(place, "plain", plain, mix)),
    };
  };
  const syncs = await countSyncs(place, open);
  const results = await compareCpu(
    await open(place),
    [
      ["append, batches of 100, against a plain server", "svcBatch", "plainBatch"],
      ["append, single events of 64 writers, against a plain server", "svcMany", "plainMany"],
      ["append, single events of one writer, against a plain server", "svcOne", "plainOne"],
    ],
    { unit: "events", syncs },
  );
  return [...results, ...(await measureAppendOnPostgres(place, svc, mix))];
}

/** On two Postgres servers that wait for the disk. */
async function measureAppendOnPostgres(place: Place, svc: string, mix: Mix): Promise<Result[]> {
  const [first, second] = [
    await place.startPostgres({ durable: true }),
    await place.startPostgres({ durable: true }),
  ];
  for (const { url } of [first, second])
    await withData(url, (data) =>
      data.atomically(async (writes) => {
        for (const link of projects) await writes.linkProject(link, timeOf(0));
      }),
    );
  const ours = await serveSvc(place, svc, "append-postgres", { SVC_DATABASE_URL: first.url });
  const plain = await servePlain(place, "append", second.url);
  place.addProcess(ours, first.pid());
  place.addProcess(plain, second.pid());
  const sides = {
    ...(await sidesOf(place, "svc", ours, mix)),
    ...(await sidesOf(place, "plain", plain, mix)),
  };
  return await compareCpu(
    sides,
    [
      ["append on Postgres, batches of 100, against a plain server", "svcBatch", "plainBatch"],
      ["append on Postgres, single events of 64 writers, against a plain server", "svcMany", "plainMany"],
      ["append on Postgres, single events of one writer, against a plain server", "svcOne", "plainOne"],
    ],
    { unit: "events" },
  );
}

type Work = "Batch" | "Many" | "One";

async function sidesOf<N extends string>(
  place: Place,
  name: N,
  url: string,
  mix: Mix,
): Promise<Record<`${N}${Work}`, Side>> {
  const batches = Array.from({ length: variety }, (_, index) =>
    append(index * batchLength, batchLength, mix),
  );
  const singles = Array.from({ length: variety * 20 }, (_, index) => append(index, 1, mix));
  const side = (requests: string[], connections: number, units = 1) =>
    wrk(place, { url, requests, connections, units });
  return {
    [`${name}Batch`]: await side(batches, 4, batchLength),
    [`${name}Many`]: await side(singles, writers),
    [`${name}One`]: await side(singles, 1),
  } as Record<`${N}${Work}`, Side>;
}
