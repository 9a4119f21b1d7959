/** Reads the JUnit report of `bun test`. */
import { existsSync, readFileSync } from "node:fs";

export interface TestReport {
  passed: number;
  failed: number;
  /** Paths of the files with failures. */
  failedFiles: string[];
}

/** Returns the report at a path; of a run that wrote none, an empty one. */
export function readTestReport(path: string): TestReport {
  const xml = existsSync(path) ? readFileSync(path, "utf8") : "";
  const count = (name: string) =>
    Number(new RegExp(`<testsuites [^>]*\\b${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
  // The suite of a file, with those of its `describe` blocks inside.
  const files = [...xml.matchAll(/^ {2}<testsuite name="[^"]*" file="([^"]*)"[^>]* failures="(\d+)"/gm)];
  return {
    passed: count("tests") - count("failures") - count("skipped"),
    failed: count("failures"),
    failedFiles: files.filter(([, , failures]) => failures !== "0").map(([, file = ""]) => file),
  };
}

/** What two runs show together, of which the second repeats the failed files of the first, some times each. */
export function combineReports(
  first: TestReport,
  second: TestReport,
): TestReport & { passedAlone: string[] } {
  const passedAlone = first.failedFiles.filter((file) => !second.failedFiles.includes(file));
  const failed = Math.min(first.failed, second.failed);
  return { ...second, failed, passed: first.passed + first.failed - failed, passedAlone };
}
