/** `svc asset push` of a folder of small files to a library of thousands, over a line with a long way. */
import { rm } from "node:fs/promises";
import { openDelayedLine } from "../append/delayed-line.ts";
import { inRounds, median, type Place, type Result } from "../measuring/measure.ts";
import { serveSvc, token } from "../measuring/svc.ts";
import { resultOf } from "../measuring/targets.ts";
import { makeLibrary } from "./assets.ts";

const librarySize = 6_000;
const files = 100;
const fileBytes = 20_000;
const oneWayMs = 7.5;
const rounds = 3;
/** Of a file. */
const msMax = 12;

export async function measurePush(place: Place, svc: string): Promise<Result[]> {
  await makeLibrary(place.path("push/svc.db"), librarySize);
  const server = await serveSvc(place, svc, "push");
  const far = new URL(server);
  far.port = `${(await openDelayedLine(place, Number(far.port), oneWayMs)).port}`;
  const folder = place.path("pushed");
  const push = async () => {
    await rm(folder, { recursive: true, force: true });
    for (let index = 0; index < files; index++)
      await Bun.write(`${folder}/${index}.bin`, crypto.getRandomValues(new Uint8Array(fileBytes)));
    const startedAt = performance.now();
    const child = Bun.spawn([svc, "asset", "push", folder, "--project", "atlas"], {
      env: { SVC_URL: far.origin, SVC_TOKEN: token },
      stdio: ["ignore", "ignore", "ignore"],
    });
    if ((await child.exited) !== 0) throw new Error("svc asset push failed");
    return (performance.now() - startedAt) / files;
  };
  const ms = median((await inRounds(rounds, { push })).push);
  const measure = "svc asset push of 100 small files, 15 ms round trip, a file";
  return [resultOf(measure, `${ms.toFixed(1)} ms`, `${msMax} ms`, ms / msMax, ms)];
}
