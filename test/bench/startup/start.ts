/** The first answer of `svc serve` on an existing database, against a compiled server that knows nothing. */
import { makeDatabase } from "../measuring/events.ts";
import { addressOf, inRounds, median, type Place, type Result } from "../measuring/measure.ts";
import { compilePlain } from "../measuring/plain.ts";
import { cpuSeconds } from "../measuring/process-cost.ts";

const rounds = 11;
const eventCount = 10_000;
const moreMs = 150;

export async function measureStart(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("start.db"), eventCount);
  const empty = await compilePlain(place, "serve");
  const env = {
    SVC_DATABASE_URL: `sqlite:${place.path("start.db")}`,
    SVC_DATA_DIR: place.path("start"),
    SVC_PORT: "0",
    SVC_PUBLIC_READ: "1",
  };
  const found = await inRounds(rounds, {
    svc: firstAnswer([svc, "serve"], env),
    empty: firstAnswer([empty], {}),
  });
  const medianOf = (times: { ms: number }[]) => median(times.map(({ ms }) => ms));
  const [ours, theirs] = [medianOf(found.svc), medianOf(found.empty)];
  return [
    {
      ...{
        measure: "svc serve, first page of the feed",
        svc: `${ours.toFixed(1)} ms`,
        ceiling: `${theirs.toFixed(1)} ms`,
      },
      ...{
        ratio: ours / theirs,
        aim: `at most ${(theirs + moreMs).toFixed(1)} ms: ${moreMs} ms more`,
        amount: ours,
        rounds: found.svc.map(({ cpu }) => cpu),
        reached: ours <= theirs + moreMs,
      },
    },
  ];
}

/** From the start of the process to the end of its first answer. */
const firstAnswer = (command: string[], env: Record<string, string>) => async () => {
  const start = performance.now();
  const server = Bun.spawn(command, { env, stdio: ["ignore", "pipe", "inherit"] });
  const response = await fetch(new URL("/api/v1/feed?limit=50", await addressOf(server)));
  await response.text();
  const took = { ms: performance.now() - start, cpu: cpuSeconds(server.pid) };
  server.kill("SIGKILL");
  await server.exited;
  if (!response.ok) throw new Error(`${command[0]} answered ${response.status}`);
  return took;
};
