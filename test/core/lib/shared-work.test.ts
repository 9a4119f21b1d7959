/** Work that callers share and do not wait for endlessly. */
import { expect, test } from "bun:test";
import { SharedWork } from "../../../src/core/lib/shared-work.ts";

test("concurrent callers share one run of the work", async () => {
  const shared = new SharedWork<number>(60_000);
  const { promise, resolve } = Promise.withResolvers<number>();
  let runs = 0;
  const work = () => {
    runs++;
    return promise;
  };
  const results = [shared.run("a", work), shared.run("a", work), shared.run("b", async () => 2)];
  resolve(1);
  expect(await Promise.all(results)).toEqual([1, 1, 2]);
  expect(runs).toBe(1);
  expect(await shared.run("a", async () => 3)).toBe(3);
});

test("a caller that waited long enough leaves, and the work continues", async () => {
  const shared = new SharedWork<number>(1);
  const { promise, resolve } = Promise.withResolvers<number>();
  expect(await shared.run("a", () => promise)).toBe("running");
  shared.waitMs = 60_000;
  const later = shared.run("a", async () => 0);
  resolve(1);
  expect(await later).toBe(1);
});

test("work that fails fails for its callers, and can be run again", async () => {
  const shared = new SharedWork<number>(60_000);
  const failing = () => Promise.reject(new Error("the store is away"));
  const outcomes = await Promise.allSettled([shared.run("a", failing), shared.run("a", failing)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await shared.run("a", async () => 1)).toBe(1);
});
