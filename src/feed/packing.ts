/** Events of long ago are kept compressed: each read gives them as before, and a log of years takes a fraction of the room. */
import type { Context } from "../context.ts";
import { dayMicros, type Micros } from "../time.ts";

/** Others get their turn at the lock: twice as long as a step took, and at least so long. */
const pauseMs = 5;

/** Called after each step, with what is packed so far. @returns whether to go on */
type OnStep = (packed: number, until: Micros) => boolean;

/**
 * Packs what is older than `before`, a little at a time; cut off, it goes on where it was.
 * @param from Behind which it looks: null for what came since the newest packed event, which misses late imports of a time before
 * @returns how many events
 */
export async function packEvents({ data }: Pick<Context, "data">, before: Micros, from: Micros | null, onStep: OnStep): Promise<number> {
  let packed = 0;
  for (let after = from ?? (await data.packedUntil()) ?? Number.MIN_SAFE_INTEGER; ; ) {
    const startedAt = performance.now();
    const step = await data.atomically((writes) => writes.packEvents(after, before));
    packed += step.packed;
    if (step.until === null || !onStep(packed, step.until)) return packed;
    after = step.until;
    await Bun.sleep(Math.max(pauseMs, 2 * (performance.now() - startedAt)));
  }
}

/** What a server does by itself, where it was told to. */
export async function packOld({ data, config, now }: Pick<Context, "data" | "config" | "now">, goesOn: () => boolean): Promise<number> {
  return config.packDays === 0 ? 0 : packEvents({ data }, now() - config.packDays * dayMicros, null, goesOn);
}
