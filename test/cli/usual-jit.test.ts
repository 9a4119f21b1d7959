import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";
import { useUsualJitOnceBusy, useUsualJitSoon } from "../../cli/usual-jit.ts";
import { freshDatabase, startServer } from "../support/harness.ts";

describe("the JIT policy of a command", () => {
  const setPolicy = spyOn(Bun.unsafe, "setJITPolicy");
  beforeEach(() => {
    jest.useFakeTimers();
    setPolicy.mockClear();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test("stays that of the executable while the command may end soon", () => {
    useUsualJitSoon();
    jest.advanceTimersByTime(999);
    expect(setPolicy).not.toHaveBeenCalled();
  });

  test("is the usual one once the command has worked for a second", () => {
    useUsualJitSoon();
    jest.advanceTimersByTime(1_000);
    expect(setPolicy.mock.calls).toEqual([[1]]);
  });

  test("is the usual one of a server once it has had a hundred requests, however long it waits for them", () => {
    useUsualJitSoon();
    const countRequest = useUsualJitOnceBusy();
    jest.advanceTimersByTime(3_600_000);
    for (let request = 1; request < 100; request++) countRequest();
    expect(setPolicy).not.toHaveBeenCalled();
    for (let request = 100; request < 300; request++) countRequest();
    expect(setPolicy.mock.calls).toEqual([[1]]);
  });
});

describe.skipIf(!process.env.SVC_TEST_BINARY || process.platform !== "linux")("a server", () => {
  /** The words and the environment of its process, which is the one that was started. */
  async function startedWith(env: Record<string, string>): Promise<{ words: string[]; env: string[] }> {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database, env);
    const read = (name: string) => readFileSync(`/proc/${server.process.pid}/${name}`, "utf8").split("\0");
    return { words: read("cmdline").slice(1, -1), env: read("environ") };
  }

  const option = "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp";

  test("uses the last JIT compiler later, with the words it was started with", async () => {
    const { words, env } = await startedWith({ SVC_SHOWN: "1" });
    expect(words).toEqual(["serve", "--port", "0"]);
    expect(env).toContain(`${option}=640000`);
    expect(env).toContain("SVC_SHOWN=1");
  });

  test("uses it as its environment says", async () => {
    expect((await startedWith({ [option]: "64000" })).env).toContain(`${option}=64000`);
  });
});
