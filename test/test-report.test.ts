/** The last line of the suite: what counts as failed. */
import { expect, test } from "bun:test";
import { combineReports, type TestReport } from "./support/test-report.ts";

test("a file that failed beside others and passes alone each time is named, and passes", () => {
  const first: TestReport = { passed: 97, failed: 3, failedFiles: ["a.test.ts", "b.test.ts"] };
  const second: TestReport = { passed: 22, failed: 2, failedFiles: ["b.test.ts"] };
  expect(combineReports(first, second)).toEqual({
    passed: 98,
    failed: 2,
    failedFiles: ["b.test.ts"],
    passedAlone: ["a.test.ts"],
  });
});

test("a file that fails once of three times alone has failed", () => {
  const first: TestReport = { passed: 99, failed: 1, failedFiles: ["a.test.ts"] };
  const second: TestReport = { passed: 2, failed: 1, failedFiles: ["a.test.ts"] };
  expect(combineReports(first, second)).toEqual({ ...first, passedAlone: [] });
});
