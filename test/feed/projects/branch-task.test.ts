/** The task that a branch is named after. */
import { describe, expect, test } from "bun:test";
import { branchPatternProblem, taskOfBranch } from "../../../src/feed/projects/branch-task.ts";

const unset = { branch_pattern: null, task_url: null };

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
    expect(taskOfBranch(branch, unset)).toEqual({ issue });
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
    expect(taskOfBranch(branch, unset)).toBeNull();
  });

  test.each([
    ["PROJ-123", "PROJ-123"],
    ["PROJ-123-fix", "PROJ-123"],
    ["feature/PROJ-123-title", "PROJ-123"],
    ["bugfix/OPS_2-7_disk", "OPS_2-7"],
    ["anna/fix-PROJ-123", "PROJ-123"],
    ["PROJ-123/2-second-try", "PROJ-123"],
    ["utf-8/UTF-8-in-PROJ-9", "PROJ-9"],
  ])("%s is for the task %s of a tracker", (branch, task) => {
    expect(taskOfBranch(branch, unset)).toEqual({ task });
  });

  test.each(["UTF-8-names", "SHA-256", "CVE-2026-1234", "PROJ-1.2", "A-1", "fix-JAVA-17x", "PROJ-007"])(
    "%s is for no task",
    (branch) => {
      expect(taskOfBranch(branch, { ...unset, task_url: "https://linear.app/acme/issue/{task}" })).toBeNull();
    },
  );

  test("takes keys in small letters, as Linear names branches, in a project with a tracker alone", () => {
    const tracked = { ...unset, task_url: "https://linear.app/acme/issue/{task}" };
    expect(taskOfBranch("mara/eng-123-draw-the-coast", tracked)).toEqual({ task: "ENG-123" });
    expect(taskOfBranch("mara/eng-123-draw-the-coast", unset)).toBeNull();
    expect(taskOfBranch("mara/gh-12", tracked)).toEqual({ issue: 12 });
    expect(taskOfBranch("issue-12-coast", tracked)).toEqual({ issue: 12 });
    expect(taskOfBranch("mara/draw-eng-123", tracked)).toBeNull();
  });
});

describe("a project's own pattern", () => {
  test("takes the number from its group", () => {
    expect(taskOfBranch("anna/ATLAS-42-login", { ...unset, branch_pattern: "ATLAS-(\\d+)" })).toEqual({
      issue: 42,
    });
    expect(taskOfBranch("issue-42", { ...unset, branch_pattern: "ATLAS-(\\d+)" })).toBeNull();
    expect(taskOfBranch("ATLAS-login", { ...unset, branch_pattern: "ATLAS-(.*)" })).toBeNull();
  });

  test("takes a key from its group", () => {
    const pattern = { ...unset, branch_pattern: "^wip_([a-z]+-\\d+)" };
    expect(taskOfBranch("wip_eng-123_coast", pattern)).toEqual({ task: "ENG-123" });
  });

  test.each([
    ["ATLAS-\\d+", "must have exactly one group for the number or key, but has 0"],
    ["(a)(b)", "must have exactly one group for the number or key, but has 2"],
    ["(\\d+", "must be a regular expression in RE2 syntax: "],
    ["(?=x)(\\d+)", "must be a regular expression in RE2 syntax: "],
    [`(\\d+)${"x".repeat(200)}`, "must have at most 200 characters"],
  ])("%s cannot be used, and matches nothing", (pattern, problem) => {
    expect(branchPatternProblem(pattern)).toStartWith(problem);
    expect(taskOfBranch("ATLAS-42", { ...unset, branch_pattern: pattern })).toBeNull();
  });

  test("that backtracks without end in other engines is answered like any other", () => {
    expect(branchPatternProblem("((?:x+x+)+)y")).toBeNull();
    expect(taskOfBranch("x".repeat(255), { ...unset, branch_pattern: "((?:x+x+)+)y" })).toBeNull();
  });
});
