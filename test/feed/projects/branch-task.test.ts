/** The issue that a branch is named after. */
import { describe, expect, test } from "bun:test";
import { branchPatternProblem, taskOfBranch } from "../../../src/feed/projects/branch-task.ts";

describe("the default rule", () => {
  test.each([
    ["issue-42", 42],
    ["issues/42", 42],
    ["Issue_42-login", 42],
    ["feature/gh-42", 42],
    ["feature/gh-42-retry", 42],
    ["gh42", 42],
    ["fix/42-login", 42],
    ["fix/#42", 42],
    ["42", 42],
    ["42_login", 42],
    ["anna/fix/42", 42],
    ["refs/heads/fix/42-login", 42],
    ["issue-2026", 2026],
    ["12-gh-42", 42],
  ])("%s is for issue %d", (branch, issue) => {
    expect(taskOfBranch(branch, null)).toEqual({ issue });
  });

  test.each([
    "main",
    "",
    "login-42",
    "release/2026-11",
    "release/2026/11",
    "release/42",
    "releases/42-x",
    "v/2",
    "2026-11-23-notes",
    "backup/20261123",
    "1.2.3",
    "hotfix/1.2",
    "3-2-1",
    "issue-1.2",
    "renovate/node-22.x",
    "dependabot/npm_and_yarn/elysia-1.4.30",
    "0",
    "fix/007-bond",
    "issue-0",
    "issue-99999999999",
    "issue-2147483648",
    `fix/42-${"x".repeat(255)}`,
  ])("%s is for no issue", (branch) => {
    expect(taskOfBranch(branch, null)).toBeNull();
  });
});

describe("a project's own pattern", () => {
  test("takes the number from its group", () => {
    expect(taskOfBranch("anna/ATLAS-42-login", "ATLAS-(\\d+)")).toEqual({ issue: 42 });
    expect(taskOfBranch("issue-42", "ATLAS-(\\d+)")).toBeNull();
    expect(taskOfBranch("ATLAS-login", "ATLAS-(.*)")).toBeNull();
  });

  test.each([
    ["ATLAS-\\d+", "must have exactly one group for the number, but has 0"],
    ["(a)(b)", "must have exactly one group for the number, but has 2"],
    ["(\\d+", "must be a regular expression in RE2 syntax: "],
    ["(?=x)(\\d+)", "must be a regular expression in RE2 syntax: "],
    [`(\\d+)${"x".repeat(200)}`, "must have at most 200 characters"],
  ])("%s cannot be used, and matches nothing", (pattern, problem) => {
    expect(branchPatternProblem(pattern)).toStartWith(problem);
    expect(taskOfBranch("ATLAS-42", pattern)).toBeNull();
  });

  test("that backtracks without end in other engines is answered like any other", () => {
    expect(branchPatternProblem("((?:x+x+)+)y")).toBeNull();
    expect(taskOfBranch("x".repeat(255), "((?:x+x+)+)y")).toBeNull();
  });
});
