/** What a server holds that was asked once and has nothing to do. */
import { makeDatabase } from "../measuring/events.ts";
import type { Place, Result } from "../measuring/measure.ts";

const megabytesMax = 90;
const idleMs = 10_000;

export async function measureIdle(place: Place, svc: string): Promise<Result[]> {
  const path = place.path("idle.db");
  await makeDatabase(path, 100_000);
  const url = await place.serve([svc, "serve"], {
    ...{
      SVC_DATABASE_URL: `sqlite:${path}`,
      SVC_DATA_DIR: place.path("idle"),
      SVC_PORT: "0",
      SVC_PUBLIC_READ: "1",
    },
  });
  const response = await fetch(`${url}/api/v1/feed`);
  if (!response.ok) throw new Error(`the feed was answered with ${response.status}`);
  await Bun.sleep(idleMs);
  const memory = place.memory(url);
  return [
    {
      ...{
        measure: "memory of an idle server",
        svc: `${Math.round(memory)} MB`,
        ceiling: `${megabytesMax} MB`,
        ratio: memory / megabytesMax,
      },
      ...{ aim: "at most 1.00 x", reached: memory <= megabytesMax },
    },
  ];
}
