/** Generates everything that happened in the 30 days before `now`; the same `now` gives the same month. */

import { dayMicros, type Micros } from "../../src/core/lib/time.ts";
import type { AnnotationRow } from "../../src/library/annotations/rows.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import type { NewNote } from "../../src/memory/rows.ts";
import { planAnnotations } from "./annotations.ts";
import { assetHistory } from "./assets/assets.ts";
import { reopenedIssues } from "./assets/reopened-issues.ts";
import { type DemoBudget, planBudgets } from "./budgets.ts";
import { minute, workCalendar } from "./calendar.ts";
import { planDeskAnnotations } from "./desk-annotations.ts";
import { type EventDraft, numberEvents, type TimedEvent } from "./draft.ts";
import {
  type DemoDecision,
  type DemoPreference,
  decisions,
  preferences,
  type RelativelyTimed,
} from "./memory.ts";
import { runningTask } from "./projects/tasks-harbor.ts";
import { seededRandom } from "./random.ts";
import { type DemoReviewRequest, planReviewRequest } from "./review-request.ts";
import { type DemoReviews, planReviews } from "./reviews.ts";
import { type DemoShare, planShare } from "./shares.ts";
import type { ScheduledTask } from "./tasks/host.ts";
import { consolidations, dependencyUpdates, guidanceRefreshes, nightlyRuns } from "./tasks/routine.ts";
import { type DemoRun, runIdOf } from "./tasks/run.ts";
import { furtherRuns, moveIntoRuns } from "./tasks/run-stories.ts";
import { runningTaskEvents, type Simulation, taskEvents } from "./tasks/task-events.ts";
import { type DemoProject, projects } from "./team.ts";

const seed = 20_260_303;
const [harbor, , silt] = projects as [DemoProject, DemoProject, DemoProject];

export interface DemoMonth {
  events: TimedEvent[];
  runs: DemoRun[];
  decisions: DemoDecision[];
  preferences: DemoPreference[];
  assets: AssetRow[];
  notes: NewNote[];
  budgets: DemoBudget[];
  reviews: DemoReviews;
  reviewRequest: DemoReviewRequest | null;
  share: DemoShare | null;
  annotations: AnnotationRow[];
  linkedAt: Micros;
}

export function generateMonth(now: Micros, lanes: readonly string[]): DemoMonth {
  const random = seededRandom(seed);
  const calendar = workCalendar(now, random);
  const runs: DemoRun[] = [];
  const simulation: Simulation = { calendar, lanes, random, runs };
  const linkedAt = calendar.start - minute;
  const tasks = projects.flatMap((project) => scheduleTasks(project, simulation));
  const assetHistories = tasks.flatMap((scheduled) => {
    const { project, task } = scheduled;
    return project.library
      .filter(({ task: title }) => title === task.issueTitle)
      .map((chain) => assetHistory(chain, scheduled, simulation));
  });
  const made = withTimes<DemoDecision>(decisions, simulation);
  const preferred = sortByTime(withTimes<DemoPreference>(preferences, simulation));
  const running = scheduledTask(harbor, runningTask, Math.min(calendar.moment(0.99), now - 45 * minute));
  const drafts: EventDraft[] = [
    ...projects.map((project) => projectLinked(project, linkedAt)),
    ...tasks.flatMap((scheduled) => [...taskEvents(scheduled, simulation)]),
    ...runningTaskEvents(running, simulation),
    ...projects.flatMap((project) => [...dependencyUpdates(project, calendar, random)]),
    ...nightlyRuns(silt, calendar, random),
    ...guidanceRefreshes(calendar),
    ...assetHistories.flatMap((history) => history.drafts),
    ...preferred.map(preferenceSet),
  ];
  for (const [scheduled, histories] of Map.groupBy(assetHistories, ({ scheduled }) => scheduled))
    drafts.push(
      ...reopenedIssues(
        scheduled,
        histories.flatMap(({ reviews }) => reviews),
      ),
    );
  drafts.push(...furtherRuns(tasks, running, simulation));
  moveIntoRuns(made, runs, now);
  const decided = sortByTime([...made, ...assetHistories.flatMap(({ rejections }) => rejections)]);
  for (const one of made)
    if (one.retiredAfter) one.retired = calendar.atWork(one.at + one.retiredAfter * dayMicros);
  drafts.push(...decided.map(decisionCaptured), ...made.flatMap(decisionRetired));
  const worked = numberEvents(drafts, firstNumbers(), linkedAt, now);
  const budgets = planBudgets(worked);
  const [assets, notes] = [
    assetHistories.flatMap(({ rows }) => rows),
    assetHistories.flatMap((history) => history.notes),
  ];
  const reviews = planReviews(harbor, assets, linkedAt, now);
  const reviewRequest = planReviewRequest(assets, now);
  const annotated = [planAnnotations(harbor.slug, assets, now), planDeskAnnotations(assets)];
  const marked = annotated.flatMap(({ rows }) => rows);
  const share = planShare(assets, marked, now);
  const later = [
    ...budgets.flatMap(({ notices }) => notices),
    ...[reviews, ...annotated].flatMap(({ events }) => events),
    ...(share?.events ?? []),
    ...(reviewRequest ? [reviewRequest.event] : []),
  ];
  const numbered = [...worked, ...later].sort((a, b) => a.ts - b.ts);
  const summaries = projects.flatMap((project) => [...consolidations(project, calendar, numbered)]);
  const events = [...numbered, ...summaries].sort((a, b) => a.ts - b.ts);
  return {
    events,
    runs,
    decisions: decided,
    preferences: preferred,
    assets,
    notes,
    budgets,
    reviews,
    annotations: [...marked, ...(share?.annotations ?? [])],
    reviewRequest,
    share,
    linkedAt,
  };
}

/** Spreads the tasks of a project over the month's working time, with busier and quieter days. */
function scheduleTasks(project: DemoProject, { calendar, random }: Simulation): ScheduledTask[] {
  const waves = 5;
  const phase = random.next();
  const wave = (part: number) => 0.022 * Math.sin(2 * Math.PI * (waves * part + phase));
  return project.tasks.map((task, index) => {
    const part = (index + random.next()) / project.tasks.length;
    return scheduledTask(project, task, calendar.moment(part - wave(part) + wave(0)));
  });
}

const scheduledTask = (project: DemoProject, task: ScheduledTask["task"], opened: Micros): ScheduledTask => ({
  project,
  task,
  opened,
  issue: { sequence: project.slug, number: 0 },
  pull: { sequence: project.slug, number: 0 },
});

const withTimes = <T extends { at: Micros }>(
  authored: RelativelyTimed<T>[],
  { calendar, random }: Simulation,
): T[] =>
  // safe because: `at` takes the place of `daysAgo`
  authored.map(
    ({ daysAgo: ago, ...rest }) =>
      ({
        ...rest,
        at: calendar.atWork(calendar.now - ago * dayMicros + random.between(0, 90 * minute)),
      }) as unknown as T,
  );

const sortByTime = <T extends { at: Micros }>(list: T[]): T[] => list.sort((a, b) => a.at - b.at);

/** The last number of each sequence before the month began. */
const firstNumbers = (): Map<string, number> =>
  new Map([
    ["runs", 1483],
    ["silt nights", 402],
    ...projects.flatMap(({ slug, firstNumber, workflow }): [string, number][] => [
      [slug, firstNumber - 1],
      [`${slug} checks`, workflow.before],
    ]),
  ]);

const decisionRetired = ({ project, retired, by, text }: DemoDecision): EventDraft[] =>
  retired === undefined
    ? []
    : [{ at: retired, event: () => ({ kind: "decision.retired", actor: by, project, summary: text }) }];

const decisionCaptured = ({ project, at, by, text, run }: DemoDecision): EventDraft => ({
  at: at + 1,
  event: () => ({
    kind: "decision.captured",
    actor: by,
    project,
    summary: text.split("\n", 1)[0] as string,
    ...(run && { run_id: runIdOf(run) }),
  }),
});

const preferenceSet = ({ project, at, by, key, value }: DemoPreference): EventDraft => ({
  at,
  event: () => ({ kind: "preference.set", actor: by, project, summary: `Preference ${key}: ${value}` }),
});

const projectLinked = ({ slug, repo, lead }: DemoProject, at: Micros): EventDraft => ({
  at: at + slug.length,
  event: () => ({
    kind: "project.linked",
    actor: lead,
    project: slug,
    repo,
    summary: `Project ${slug} linked to ${repo}`,
  }),
});
