/**
 * What others reach at the same job. They are not installed here: each was measured once, on a machine whose
 * plain server of prebuilt bytes reached `ceiling`, and is taken as so much more or less as that server
 * reaches in this run.
 */
import { join } from "node:path";
import { median, type Place, type Result } from "./measure.ts";

/** Answers a second; the middle of 99,000 and 113,000. */
const ceiling = 106_000;

const peers = {
  "Directus 12 on SQLite, a page of the feed": 281,
  "Directus 12 on SQLite, a page of unsigned assets": 208,
  "Directus 12 on SQLite, 64 KiB uploads": 172,
  "PostgREST on Postgres, a page of the feed": 1_592,
  "server-everything, an echo over HTTP": 2_900,
};

export type Peer = keyof typeof peers;

/** A plain server of these bytes; the measure that peers are scaled by. */
export async function servePrebuilt(place: Place, body: string): Promise<string> {
  const path = place.path(`prebuilt-${Bun.hash(body).toString(36)}`);
  await Bun.write(path, body);
  return place.serve([process.execPath, join(import.meta.dir, "plain/prebuilt.ts"), path]);
}

export function againstPeer(
  measure: string,
  peer: Peer,
  ours: number[],
  prebuilt: number[],
  atLeast: number,
): Result {
  const theirs = (peers[peer] * median(prebuilt)) / ceiling;
  const ratio = median(ours) / theirs;
  return {
    ...{
      measure: `${measure}, against ${peer}, scaled`,
      svc: `${Math.round(median(ours))} /s`,
      ceiling: `${Math.round(theirs)} /s`,
      ratio,
    },
    ...{ aim: `at least ${atLeast.toFixed(2)} x`, reached: ratio >= atLeast },
  };
}
