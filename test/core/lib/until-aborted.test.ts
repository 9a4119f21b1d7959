import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { unlessAborted, untilAborted } from "../../../src/core/lib/until-aborted.ts";

describe("work that ends with a signal", () => {
  test("has its own result, or the reason of the signal", async () => {
    const stopped = new AbortController();
    const never = new Promise<never>(() => {});
    expect(await untilAborted(Promise.resolve(1), stopped.signal)).toBe(1);
    await expect(untilAborted(Promise.reject(new Error("broken")), stopped.signal)).rejects.toThrow("broken");
    const waiting = [untilAborted(never, stopped.signal), unlessAborted(never, stopped.signal)] as const;
    stopped.abort(new Error("stopped"));
    await expect(waiting[0]).rejects.toThrow("stopped");
    expect(await waiting[1]).toBeNull();
    await expect(untilAborted(never, stopped.signal)).rejects.toThrow("stopped");
    expect(await unlessAborted(never, stopped.signal)).toBeNull();
  });

  test("fails as it does alone, unless the signal came first", async () => {
    const { signal } = new AbortController();
    await expect(unlessAborted(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  });

  test("is not kept by the signal once it is over", async () => {
    const { signal } = new AbortController();
    const count = () => {
      Bun.gc(true);
      return heapStats().objectTypeCounts.Map ?? 0;
    };
    const before = count();
    for (let round = 0; round < 1_000; round++) await unlessAborted(Promise.resolve(new Map()), signal);
    expect(count() - before).toBeLessThan(100);
    expect(signal.aborted).toBe(false);
  });
});
