/** The last line of the suite: what counts as failed. */
import { expect, test } from "bun:test";
import { combineReports, type TestReport } from "./support/test-report.ts";

test("a file that failed and passed alone is named, and counts as failed in CI", () => {
  const first: TestReport = { passed: 97, failed: 3, failedFiles: ["a.test.ts", "b.test.ts"] };
  const second: TestReport = { passed: 8, failed: 1, failedFiles: ["b.test.ts"] };
  const passedAlone = ["a.test.ts"];
  expect(combineReports(first, second, true)).toEqual({ ...first, passedAlone });
  expect(combineReports(first, second, false)).toEqual({
    passed: 99,
    failed: 1,
    failedFiles: ["b.test.ts"],
    passedAlone,
  });
});
