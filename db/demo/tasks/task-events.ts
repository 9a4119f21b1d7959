/**
 * The events of a task from issue to merge: run, pull request, checks, review, and the ways each can fail.
 */
import { dayMicros, type Micros, secondMicros } from "../../../src/core/lib/time.ts";
import { type Calendar, minute } from "../calendar.ts";
import type { EventDraft, NumberedItem } from "../draft.ts";
import { models } from "../models.ts";
import type { Random } from "../random.ts";
import { bots, laneName, people } from "../team.ts";
import {
  branchOf,
  checksEvent,
  issueEvent,
  previewEvent,
  pullRequestEvent,
  reviewEvent,
  type ScheduledTask,
} from "./host.ts";
import { type AgentRun, agentRunEvents, type DemoRun } from "./run.ts";

const secondLabels = ["good first task", "urgent", "customer", "needs a test"];
const approvals = [
  "Reads well, thank you.",
  "Tried it, does what the issue asks.",
  "The test says it better than the issue did.",
  "Good. I would not have found the second place.",
  "Small and complete.",
  "",
];

/** What the generators of events share. */
export interface Simulation {
  calendar: Calendar;
  lanes: readonly string[];
  random: Random;
  /** The runs of the month, in the order in which they are generated. */
  runs: DemoRun[];
}

export function* taskEvents(scheduled: ScheduledTask, simulation: Simulation): Generator<EventDraft> {
  const { task } = scheduled;
  const { calendar, random } = simulation;
  const openedAt = yield* openIssue(scheduled, simulation);
  if (!task.pullTitle) return;
  const done = task.by
    ? calendar.atWork(openedAt + random.between(60, 400) * minute)
    : yield* runAgent(scheduled, simulation, openedAt);
  const checked = yield* openPullRequest(scheduled, simulation, done);
  yield* reviewPullRequest(scheduled, simulation, checked);
}

/** A task whose run started a few minutes ago, even outside working hours. */
export function* runningTaskEvents(scheduled: ScheduledTask, simulation: Simulation): Generator<EventDraft> {
  yield* openIssue(scheduled, simulation);
  const start = simulation.calendar.now - 7 * minute;
  yield* agentRunEvents(agentRunOf(scheduled, simulation, start), start);
}

/** Opens the issue and labels it. @returns when it is ready to work on */
function* openIssue(
  scheduled: ScheduledTask,
  { calendar, random }: Simulation,
): Generator<EventDraft, Micros> {
  const asker = random.pick(people);
  yield {
    at: scheduled.opened,
    begins: scheduled.issue,
    event: () => issueEvent(scheduled, asker, "opened"),
  };
  let at = scheduled.opened + random.between(1_000_000, 90_000_000);
  yield { at, event: () => issueEvent(scheduled, asker, `labeled ${scheduled.task.label}`) };
  if (random.chance(0.2)) {
    const second = random.pick(secondLabels);
    at = calendar.atWork(at + random.between(10, 300) * minute);
    yield { at, event: () => issueEvent(scheduled, scheduled.project.lead, `labeled ${second}`) };
  }
  return at;
}

/** An agent implements it, in a second run if the first fails. @returns when the last run ended */
function* runAgent(
  scheduled: ScheduledTask,
  simulation: Simulation,
  from: Micros,
): Generator<EventDraft, Micros> {
  const { random } = simulation;
  let start = from + random.between(60_000_000, 40 * minute);
  if (scheduled.task.runFailure)
    start =
      (yield* agentRunEvents(agentRunOf(scheduled, simulation, start), start, scheduled.task.runFailure)) +
      random.between(3, 90) * minute;
  return yield* agentRunEvents(agentRunOf(scheduled, simulation, start), start);
}

/** Opens the pull request, runs checks and deploys a preview. @returns when both are done */
function* openPullRequest(
  scheduled: ScheduledTask,
  simulation: Simulation,
  from: Micros,
): Generator<EventDraft, Micros> {
  const { project, task, pull } = scheduled;
  const { random } = simulation;
  const author = task.by ?? bots.agents;
  const at = from + random.between(15_000_000, 80_000_000);
  yield { at, begins: pull, event: () => pullRequestEvent(scheduled, author, "opened") };
  const checked = yield* runChecks(scheduled, simulation, at, task.checkFailure ? "failure" : "success");
  const { preview } = project;
  if (!preview) return checked;
  let shown = at + random.between(150_000_000, 420_000_000);
  if (random.chance(0.12)) {
    yield { at: shown, event: () => previewEvent(scheduled, preview, true) };
    shown += random.between(4 * minute, 15 * minute);
  }
  yield { at: shown, event: () => previewEvent(scheduled, preview, false) };
  return Math.max(checked, shown);
}

function* runChecks(
  scheduled: ScheduledTask,
  { random }: Simulation,
  from: Micros,
  conclusion: string,
  main = false,
): Generator<EventDraft, Micros> {
  const { slug, workflow } = scheduled.project;
  const duration_ms = random.between(workflow.minutes[0] * 60_000, workflow.minutes[1] * 60_000);
  const checks: NumberedItem = { sequence: `${slug} checks`, number: 0 };
  const at = from + duration_ms * 1000 + random.between(3_000_000, 9_000_000);
  yield {
    at,
    begins: checks,
    event: () => checksEvent(scheduled, checks, main ? "main" : branchOf(scheduled), conclusion, duration_ms),
  };
  return at;
}

/** Reviews, and the merge or the rejection that follows. */
function* reviewPullRequest(
  scheduled: ScheduledTask,
  simulation: Simulation,
  from: Micros,
): Generator<EventDraft> {
  const { project, task } = scheduled;
  const { calendar, random } = simulation;
  const reviewer = random.pick(project.reviewers.filter((name) => name !== task.by));
  let at = from;
  if (task.checkFailure)
    at = yield* addressFindings(
      scheduled,
      simulation,
      at + random.between(2_000_000, 9_000_000),
      bots.ci,
      "commented",
      task.checkFailure,
    );
  at = calendar.atWork(at + random.between(8 * minute, 260 * minute));
  if (task.rejection) {
    yield { at, event: () => reviewEvent(scheduled, reviewer, "changes requested", task.rejection) };
    at += random.between(40_000_000, 200_000_000);
    yield { at, event: () => pullRequestEvent(scheduled, reviewer, "closed") };
    return yield closeIssue(scheduled, reviewer, at + random.between(1_000_000, 3_000_000));
  }
  if (task.requestedChanges) {
    const repaired = yield* addressFindings(
      scheduled,
      simulation,
      at,
      reviewer,
      "changes requested",
      task.requestedChanges,
    );
    at = calendar.atWork(repaired + random.between(20 * minute, 150 * minute));
  }
  const praise = random.pick(approvals);
  yield { at, event: () => reviewEvent(scheduled, reviewer, "approved", praise) };
  at += random.between(40_000_000, 900_000_000);
  yield { at, event: () => pullRequestEvent(scheduled, reviewer, "merged") };
  yield closeIssue(scheduled, reviewer, at + random.between(900_000, 2_400_000));
  yield* runChecks(scheduled, simulation, at, "success", true);
}

function closeIssue(scheduled: ScheduledTask, actor: string, at: Micros): EventDraft {
  scheduled.closed = at;
  return { at, event: () => issueEvent(scheduled, actor, "closed") };
}

/** A review with findings, a run that addresses them, and new checks. @returns when the checks end */
function* addressFindings(
  scheduled: ScheduledTask,
  simulation: Simulation,
  at: Micros,
  critic: string,
  state: string,
  says: string,
): Generator<EventDraft, Micros> {
  yield { at, event: () => reviewEvent(scheduled, critic, state, says) };
  const start = at + simulation.random.between(2 * minute, 25 * minute);
  const end = yield* agentRunEvents(agentRunOf(scheduled, simulation, start), start);
  return yield* runChecks(scheduled, simulation, end + 20 * secondMicros, "success");
}

/** Small tasks use the quick lane and large ones the deep lane, if the project has them. */
function agentRunOf(
  { project, issue, task }: ScheduledTask,
  { calendar, lanes, random, runs }: Simulation,
  at: Micros,
): AgentRun {
  const small =
    task.label === "chore" || task.label === "text" || (task.label === "bug" && random.chance(0.35));
  const large = task.label === "performance" || random.chance(0.15);
  const wanted = small ? 0 : large ? 2 : 1;
  const lane = project.lanes.includes(wanted) ? wanted : 1;
  const hired = models.filter(
    ({ onboarded, lanes }) =>
      onboarded !== null && calendar.now - onboarded * dayMicros <= at && lanes.includes(lane),
  );
  return {
    project,
    issue,
    task,
    random,
    runs,
    model: random.pick(hired),
    lane: laneName(lane, lanes),
    runner: random.pick(project.runners),
  };
}
