/**
 * The live tail: how late events are at a thousand readers, against a plain program, and what ten thousand
 * cost to hold.
 */
import { join } from "node:path";
import { inRounds, median, type Place, type Result, ratioOf } from "../measuring/measure.ts";
import type { Tail } from "./readers.ts";

const rounds = 3;
const few = 1_000;
const many = 10_000;
const megabytesMax = 600;
const tokens = Array.from({ length: 100 }, (_, index) => `bench-${index}`);

export async function measureTail(place: Place, svc: string): Promise<Result[]> {
  const env = {
    ...{ SVC_DATA_DIR: place.path("tail"), SVC_PORT: "0", SVC_RATE_LIMIT: "off" },
    SVC_API_TOKENS: tokens.map((token) => `${token}:feed:read,feed:write`).join(";"),
  };
  const ours = await place.serve([svc, "serve"], env);
  const plain = await place.serve([
    process.execPath,
    join(import.meta.dir, "../plain/tail.ts"),
    place.path("plain-tail.db"),
  ]);
  const listen = place.run<Tail>([process.execPath, join(import.meta.dir, "readers.ts")]);
  const tail = (url: string, readers: number, rate: number) => () =>
    listen({ url, path: "/api/v1/feed/stream", readers, rate, forMs: 1_500, tokens });
  const found = await inRounds(rounds, { svc: tail(ours, few, 20), plain: tail(plain, few, 20) });
  const ratio = ratioOf(found.svc, found.plain);
  const late = (waits: number[]) => `p99 ${median(waits).toFixed(1)} ms`;
  const whole = await tail(ours, many, 1)();
  const [memory, plainMemory] = [ours, plain].map((url) => place.peakMemory(url)) as [number, number];
  return [
    {
      ...{
        measure: `live stream, ${few} readers, 20 events/s`,
        svc: late(found.svc),
        ceiling: late(found.plain),
        ratio,
      },
      ...{ amount: median(found.svc), aim: "at most 2 times a plain server", reached: ratio <= 2 },
    },
    {
      ...{
        measure: `live stream, ${many} readers, peak memory (p99 ${whole.toFixed(0)} ms)`,
        svc: `${Math.round(memory)} MB`,
      },
      ...{ ceiling: `${Math.round(plainMemory)} MB at ${few}`, ratio: memory / megabytesMax },
      ...{ amount: memory, aim: `at most ${megabytesMax} MB`, reached: memory <= megabytesMax },
    },
  ];
}
