import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { useUsualJitSoon } from "../../cli/usual-jit.ts";

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
});
