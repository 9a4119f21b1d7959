/** Appends on a Postgres that waits for the disk, against a plain program on another one. */
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { startPostgres } from "../support/postgres.ts";
import { projects, timeOf } from "./events.ts";
import type { Place, Result } from "./measure.ts";
import { measureSingles } from "./singles.ts";

/** @param env of the server */
export async function measureAppendOnPostgres(
  place: Place,
  svc: string,
  env: Record<string, string>,
): Promise<Result[]> {
  const ours = await startPostgres({ durable: true }).catch(() => null);
  if (!ours) return []; // no binaries for this machine
  const theirs = await startPostgres({ durable: true });
  try {
    for (const { url } of [ours, theirs]) await furnish(url);
    const url = await place.serve([svc, "serve"], { ...env, SVC_DATABASE_URL: ours.url });
    const plain = place.run([
      process.execPath,
      join(import.meta.dir, "plain/append-postgres.ts"),
      theirs.url,
    ]);
    return await measureSingles(place, url, "append on Postgres", plain);
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
  }
}

async function furnish(url: string): Promise<void> {
  const data = await openData(url, { now: () => Date.now() * 1000, log() {} });
  await data.atomically(async (writes) => {
    for (const link of projects) await writes.linkProject(link, timeOf(0));
  });
  await data.close();
}
