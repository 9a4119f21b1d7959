/**
 * The life of a task: asked for, run, proposed, checked, reviewed, merged, or one of the ways in which it
 * does not go so.
 */
import { dayMicros, type Micros, secondMicros } from "../../src/lib/time.ts";
import { type Calendar, minute } from "./calendar.ts";
import type { Draft, Numbered } from "./draft.ts";
import { branchOf, type Life, onChecks, onIssue, onPreview, onPull, onReview } from "./host.ts";
import { models } from "./models.ts";
import type { Random } from "./random.ts";
import { run, type Work } from "./run.ts";
import { laneName, people, robots } from "./team.ts";

const secondLabels = ["good first task", "urgent", "customer", "needs a test"];
const approvals = [
  "Reads well, thank you.",
  "Tried it, does what the issue asks.",
  "The test says it better than the issue did.",
  "Good. I would not have found the second place.",
  "Small and complete.",
  "",
];

/** What a life is lived by. */
export interface Circumstances {
  calendar: Calendar;
  lanes: readonly string[];
  random: Random;
}

export function* live(life: Life, by: Circumstances): Generator<Draft> {
  const { task } = life;
  const { calendar, random } = by;
  const asked = yield* ask(life, by);
  if (!task.does) return;
  const done = task.by
    ? calendar.atWork(asked + random.between(60, 400) * minute)
    : yield* attempt(life, by, asked);
  const checked = yield* propose(life, by, done);
  yield* judge(life, by, checked);
}

/** A task whose run has begun a few minutes ago, whatever the hour. */
export function* underWay(life: Life, by: Circumstances): Generator<Draft> {
  yield* ask(life, by);
  const start = by.calendar.now - 7 * minute;
  yield* run(workOf(life, by, start), start);
}

/** Somebody opens the issue and labels it. */
function* ask(life: Life, { calendar, random }: Circumstances): Generator<Draft, Micros> {
  const asker = random.pick(people);
  yield { at: life.opened, begins: life.issue, event: () => onIssue(life, asker, "opened") };
  let at = life.opened + random.between(1_000_000, 90_000_000);
  yield { at, event: () => onIssue(life, asker, `labeled ${life.task.label}`) };
  if (random.chance(0.2)) {
    const second = random.pick(secondLabels);
    at = calendar.atWork(at + random.between(10, 300) * minute);
    yield { at, event: () => onIssue(life, life.project.lead, `labeled ${second}`) };
  }
  return at;
}

/** An agent does it, at the second attempt where the first one fails. */
function* attempt(life: Life, by: Circumstances, from: Micros): Generator<Draft, Micros> {
  const { random } = by;
  let start = from + random.between(60_000_000, 40 * minute);
  if (life.task.failed)
    start = (yield* run(workOf(life, by, start), start, life.task.failed)) + random.between(3, 90) * minute;
  return yield* run(workOf(life, by, start), start);
}

/** The pull request, its checks, and a place to try it. @returns when both are there */
function* propose(life: Life, by: Circumstances, from: Micros): Generator<Draft, Micros> {
  const { project, task, pull } = life;
  const { random } = by;
  const author = task.by ?? robots.agents;
  const at = from + random.between(15_000_000, 80_000_000);
  yield { at, begins: pull, event: () => onPull(life, author, "opened") };
  const checked = yield* check(life, by, at, task.red ? "failure" : "success");
  const { preview } = project;
  if (!preview) return checked;
  let shown = at + random.between(150_000_000, 420_000_000);
  if (random.chance(0.12)) {
    yield { at: shown, event: () => onPreview(life, preview, true) };
    shown += random.between(4 * minute, 15 * minute);
  }
  yield { at: shown, event: () => onPreview(life, preview, false) };
  return Math.max(checked, shown);
}

function* check(
  life: Life,
  { random }: Circumstances,
  from: Micros,
  conclusion: string,
  main = false,
): Generator<Draft, Micros> {
  const { slug, workflow } = life.project;
  const duration_ms = random.between(workflow.minutes[0] * 60_000, workflow.minutes[1] * 60_000);
  const checks: Numbered = { count: `${slug} checks`, number: 0 };
  const at = from + duration_ms * 1000 + random.between(3_000_000, 9_000_000);
  yield {
    at,
    begins: checks,
    event: () => onChecks(life, checks, main ? "main" : branchOf(life), conclusion, duration_ms),
  };
  return at;
}

/** Reviews and what they lead to. */
function* judge(life: Life, by: Circumstances, from: Micros): Generator<Draft> {
  const { project, task } = life;
  const { calendar, random } = by;
  const reviewer = random.pick(project.reviewers.filter((name) => name !== task.by));
  let at = from;
  if (task.red)
    at = yield* repair(life, by, at + random.between(2_000_000, 9_000_000), robots.ci, "commented", task.red);
  at = calendar.atWork(at + random.between(8 * minute, 260 * minute));
  if (task.dropped) {
    yield { at, event: () => onReview(life, reviewer, "changes requested", task.dropped) };
    at += random.between(40_000_000, 200_000_000);
    yield { at, event: () => onPull(life, reviewer, "closed") };
    return yield {
      at: at + random.between(1_000_000, 3_000_000),
      event: () => onIssue(life, reviewer, "closed"),
    };
  }
  if (task.changes) {
    const repaired = yield* repair(life, by, at, reviewer, "changes requested", task.changes);
    at = calendar.atWork(repaired + random.between(20 * minute, 150 * minute));
  }
  const praise = random.pick(approvals);
  yield { at, event: () => onReview(life, reviewer, "approved", praise) };
  at += random.between(40_000_000, 900_000_000);
  yield { at, event: () => onPull(life, reviewer, "merged") };
  yield { at: at + random.between(900_000, 2_400_000), event: () => onIssue(life, reviewer, "closed") };
  yield* check(life, by, at, "success", true);
}

/** A word of criticism, a run that takes it to heart, and new checks. */
function* repair(
  life: Life,
  by: Circumstances,
  at: Micros,
  critic: string,
  state: string,
  says: string,
): Generator<Draft, Micros> {
  yield { at, event: () => onReview(life, critic, state, says) };
  const start = at + by.random.between(2 * minute, 25 * minute);
  const end = yield* run(workOf(life, by, start), start);
  return yield* check(life, by, end + 20 * secondMicros, "success");
}

/** Small things go to the quick lane, large ones to the deep one, where the project has them. */
function workOf(
  { project, issue, task }: Life,
  { calendar, lanes, random }: Circumstances,
  at: Micros,
): Work {
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
    ...{ project, issue, task, random, model: random.pick(hired), lane: laneName(lane, lanes) },
    runner: random.pick(project.runners),
  };
}
