import { afterAll, afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
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

  describe("of a server", () => {
    let cpuMs = 0;
    const cpuUsage = spyOn(process, "cpuUsage");
    beforeEach(() => {
      cpuMs = 200;
      cpuUsage.mockImplementation(() => ({ user: cpuMs * 900, system: cpuMs * 100 }));
    });
    afterAll(() => cpuUsage.mockRestore());
    const work = (ms: number) => {
      cpuMs += ms;
      jest.advanceTimersByTime(100);
    };

    test("is the usual one once requests have taken half a second of CPU, however long it waits for them", () => {
      useUsualJitSoon();
      const noteRequest = useUsualJitOnceBusy();
      jest.advanceTimersByTime(3_600_000);
      for (let request = 0; request < 49; request++) {
        noteRequest();
        work(10);
      }
      expect(setPolicy).not.toHaveBeenCalled();
      noteRequest();
      work(10);
      expect(setPolicy.mock.calls).toEqual([[1]]);
      noteRequest();
      work(10);
      expect(setPolicy).toHaveBeenCalledTimes(1);
    });

    test("is the usual one while one long request is at work", () => {
      useUsualJitOnceBusy()();
      for (let part = 0; part < 4; part++) work(99);
      expect(setPolicy).not.toHaveBeenCalled();
      for (let part = 0; part < 3; part++) work(99);
      expect(setPolicy.mock.calls).toEqual([[1]]);
    });
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
