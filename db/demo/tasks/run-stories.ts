/**
 * Further runs of the month: those that made an asset, one that a run started, and one that was lost. They
 * draw from random numbers of their own, so the rest of the month does not depend on them.
 */
import type { Micros } from "../../../src/core/lib/time.ts";
import { minute } from "../calendar.ts";
import type { EventDraft, NumberedItem } from "../draft.ts";
import type { DemoDecision } from "../memory.ts";
import { type DemoModel, models } from "../models.ts";
import { type Random, seededRandom } from "../random.ts";
import { laneName } from "../team.ts";
import { projectFields, type ScheduledTask } from "./host.ts";
import { type DemoRun, runIdOf, tokensOf } from "./run.ts";
import type { Simulation } from "./task-events.ts";

interface Story {
  scheduled: ScheduledTask;
  lanes: readonly string[];
  agent: string;
  intent: string;
  random: Random;
  runs: DemoRun[];
}

interface Part {
  at: Micros;
  summary: string;
}

/** A run with these steps, by an agent that starts it itself. @returns its number, and its events */
function storyRun(
  { scheduled, lanes, agent, intent, random, runs }: Story,
  { started, steps, finished }: { started: Part; steps: Part[]; finished?: Part },
  parent?: NumberedItem,
): { self: NumberedItem; drafts: EventDraft[] } {
  const self: NumberedItem = { sequence: "runs", number: 0 };
  const { project, issue } = scheduled;
  const model = models.find((one) => one.agent === agent && one.onboarded !== null) as DemoModel;
  runs.push({ number: self, project: project.slug, issue, intent, agent, at: started.at });
  const common = () => ({
    ...projectFields(project),
    actor: agent,
    issue: issue.number,
    run_id: runIdOf(self),
    lane: laneName(1, lanes),
    model: model.id,
    subscription: model.subscription,
    ...(parent && { payload: { parent_run_id: runIdOf(parent) } }),
  });
  const title = () => `Run ${self.number}`;
  let before = started.at;
  const drafts: EventDraft[] = [
    {
      at: started.at,
      begins: self,
      event: () => ({ kind: "run.started", summary: `${title()} started: ${started.summary}`, ...common() }),
    },
    ...steps.map(({ at, summary }, index): EventDraft => {
      const step = { summary, ...tokensOf(model, index, random) };
      const duration_ms = Math.floor((at - before) / 1000);
      before = at;
      return { at, event: () => ({ kind: "step.usage", duration_ms, ...step, ...common() }) };
    }),
  ];
  if (finished)
    drafts.push({
      at: finished.at,
      event: () => ({
        kind: "run.finished",
        duration_ms: Math.floor((finished.at - started.at) / 1000),
        summary: `${title()} finished: ${finished.summary}`,
        ...common(),
      }),
    });
  return { self, drafts };
}

/** The run that made a version of an asset. @param created_at when the version was uploaded */
export function assetRun(
  story: Story,
  title: string,
  version: number,
  created_at: Micros,
): { self: NumberedItem; drafts: EventDraft[] } {
  const { random } = story;
  const back = (from: number, to: number) => created_at - random.between(from, to) * minute;
  const again = version > 1;
  return storyRun(story, {
    started: {
      at: back(16, 24),
      summary: again ? `version ${version} of ${title}, with the notes of the review` : title,
    },
    steps: [
      {
        at: back(9, 14),
        summary: again ? "Read the brief and the note on the version before" : "Read the brief",
      },
      {
        at: back(1, 6),
        summary: again ? `Changed ${title} as the note asks` : `Made ${title} from the sample data`,
      },
    ],
    finished: {
      at: created_at + random.between(1, 3) * minute,
      summary: `${title}, version ${version}, is ready to review`,
    },
  });
}

/** A run that another run started, to read its change. */
function childRun(story: Story, parent: DemoRun): EventDraft[] {
  const at = (minutes: number) => parent.at + minutes * minute;
  return storyRun(
    story,
    {
      started: { at: at(2), summary: "read the change beside it" },
      steps: [
        { at: at(3), summary: "Read the change and the decisions about it" },
        { at: at(4), summary: "Named two cases that no test covers" },
      ],
      finished: { at: at(5), summary: "2 findings for the run that asked" },
    },
    parent.number,
  ).drafts;
}

/** A run that started three hours ago and went silent. */
function lostRun(story: Story, now: Micros): EventDraft[] {
  const ago = (minutes: number) => now - minutes * minute;
  return storyRun(story, {
    started: { at: ago(184), summary: story.intent },
    steps: [
      { at: ago(179), summary: "Read the brief and the open issue" },
      { at: ago(171), summary: "Ran the whole suite on the laptop of the harbor office" },
    ],
  }).drafts;
}

/** Minutes: older runs than that have ended. */
const endedAfter = 240;

/** A child of the run in flight, and a lost run on the issue that has been open longest. */
export function furtherRuns(
  tasks: readonly ScheduledTask[],
  running: ScheduledTask,
  { calendar: { now }, lanes, runs }: Simulation,
): EventDraft[] {
  const story = (scheduled: ScheduledTask, agent: string, seed: number): Story => ({
    scheduled,
    lanes,
    runs,
    agent,
    intent: scheduled.task.issueTitle,
    random: seededRandom(seed),
  });
  const parent = runs.findLast(({ issue }) => issue === running.issue) as DemoRun;
  const open = tasks.find(({ task, opened }) => !task.pullTitle && opened < now - endedAfter * minute);
  return [
    ...childRun(story(running, "agent:codex", 1), parent),
    ...(open ? lostRun(story(open, "agent:codex", 2), now) : []),
  ];
}

/** Moves the decisions of agents into the nearest run of the same agent. */
export function moveIntoRuns(decisions: DemoDecision[], runs: readonly DemoRun[], now: Micros): void {
  for (const decision of decisions) {
    const distance = (run: DemoRun) => Math.abs(run.at - decision.at);
    const own = runs.filter(
      ({ project, agent, at }) =>
        project === decision.project && agent === decision.by && at < now - endedAfter * minute,
    );
    const nearest = own.toSorted((a, b) => distance(a) - distance(b))[0];
    if (nearest) Object.assign(decision, { run: nearest.number, at: nearest.at + minute });
  }
}
