/** The stage of a task by its history: each row is one, with times in hours. */
import { describe, expect, test } from "bun:test";
import { stageOf, type TaskHistory } from "../../src/overview/tasks/stage.ts";

type Pull = TaskHistory["pulls"][number];
const pull = (state: Pull["state"], at: number): Pull => ({ state, at });
const [merged, opened, closed] = [
  (at: number) => pull("merged", at),
  (at: number) => pull("open", at),
  (at: number) => pull("closed", at),
];

/** An open issue of hour 1 without anything else. */
const issue: TaskHistory = {
  state: "open",
  issue_at: 1,
  running: 0,
  waiting: 0,
  runs: 0,
  last_event_at: 1,
  made_at: null,
  rejected_at: null,
  pulls: [],
};
const run = (at: number) => ({ runs: 1, last_event_at: at });
const rejected = (at: number) => ({ ...run(2), made_at: 2, rejected_at: at });
const issueClosed = (at: number) => ({ state: "closed" as const, issue_at: at });
const issueReopened = (at: number) => ({ issue_at: at });
/** Svc knows the issue by its runs alone. */
const unknownIssue = { state: null, issue_at: null };
const pullAlone = (own: Pull) => ({ state: own.state, issue_at: null, pulls: [own] });

const histories: [string, Partial<TaskHistory>, ReturnType<typeof stageOf>][] = [
  ["an issue is opened", {}, "requested"],
  ["a pull request names an unknown issue", unknownIssue, "requested"],
  ["its run ended", run(2), "stopped"],
  ["its run ended, and svc does not know the issue", { ...unknownIssue, ...run(2) }, "stopped"],
  ["a version is approved", { made_at: 2 }, "stopped"],
  ["its run is open", { ...run(2), running: 1 }, "running"],
  ["its run is open after a rejection", { ...rejected(3), running: 1 }, "running"],
  ["its run is open after the merge", { ...run(5), running: 1, pulls: [merged(4)] }, "running"],
  ["a version waits", { made_at: 2, waiting: 1 }, "waiting"],
  ["a version waits beside a rejected one", { ...rejected(3), waiting: 1 }, "waiting"],
  ["a version waits after the merge", { made_at: 5, waiting: 1, pulls: [merged(4)] }, "waiting"],
  ["a pull request is open", { ...run(2), pulls: [opened(3)] }, "waiting"],
  ["a pull request is open, and one was merged before", { pulls: [merged(3), opened(4)] }, "waiting"],
  ["a pull request is left open when another is merged", { pulls: [opened(3), merged(4)] }, "merged"],
  [
    "a pull request is left open when the issue is closed",
    { ...issueClosed(4), pulls: [opened(3)] },
    "closed",
  ],
  ["a version is rejected", rejected(3), "rejected"],
  ["a version is rejected, and its pull request is open", { ...rejected(3), pulls: [opened(4)] }, "rejected"],
  ["a version is rejected before the merge", { ...rejected(3), pulls: [merged(4)] }, "merged"],
  ["a version is rejected after the merge", { ...rejected(5), pulls: [merged(4)] }, "rejected"],
  [
    "a version is rejected after the merge, which closed the issue",
    { ...rejected(6), ...issueClosed(5), pulls: [merged(4)] },
    "rejected",
  ],
  [
    "a version is rejected after the merge, and another pull request is merged after that",
    { ...rejected(5), pulls: [merged(4), merged(6)] },
    "merged",
  ],
  [
    "a version is rejected after the merge, and the issue is closed after that",
    { ...rejected(5), ...issueClosed(6), pulls: [merged(4)] },
    "merged",
  ],
  ["a version is rejected before the issue is closed", { ...rejected(3), ...issueClosed(4) }, "closed"],
  ["a version is rejected after the issue is closed", { ...rejected(5), ...issueClosed(4) }, "rejected"],
  ["its pull request is merged", { ...run(2), pulls: [merged(4)] }, "merged"],
  ["its pull request is merged, which closes the issue", { ...issueClosed(5), pulls: [merged(4)] }, "merged"],
  ["its pull request is merged, and svc does not know it", { ...unknownIssue, pulls: [merged(4)] }, "merged"],
  ["the issue is closed without a merge", { ...run(2), ...issueClosed(4) }, "closed"],
  ["the issue is closed, and its pull request was", { ...issueClosed(4), pulls: [closed(3)] }, "closed"],
  ["its pull request is closed, the issue is open", { ...run(2), pulls: [closed(3)] }, "stopped"],
  [
    "the issue is opened again after the merge",
    { ...run(2), ...issueReopened(6), pulls: [merged(4)] },
    "requested",
  ],
  [
    "a run ended after the issue was opened again",
    { ...run(7), ...issueReopened(6), pulls: [merged(4)] },
    "stopped",
  ],
  [
    "a version is rejected before the merge, and the issue is opened again",
    { ...rejected(3), ...issueReopened(6), pulls: [merged(4)] },
    "requested",
  ],
  [
    "a version is rejected after the merge, and the issue is opened again",
    { ...rejected(5), ...issueReopened(6), pulls: [merged(4)] },
    "rejected",
  ],
  ["a pull request without an issue is open", pullAlone(opened(2)), "waiting"],
  ["a pull request without an issue is merged", pullAlone(merged(2)), "merged"],
  ["a pull request without an issue is closed", pullAlone(closed(2)), "closed"],
  ["its version is rejected after its merge", { ...rejected(3), ...pullAlone(merged(2)) }, "rejected"],
  ["its version is rejected before its merge", { ...rejected(3), ...pullAlone(merged(4)) }, "merged"],
];

describe("the stage of a task", () => {
  test.each(histories)("when %s", (_, history, stage) => {
    expect(stageOf({ ...issue, ...history })).toBe(stage);
  });
});
