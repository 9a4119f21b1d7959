/** The events of an agent run: start, steps with token usage and cost, end. */
import type { Micros } from "../../../src/core/lib/time.ts";
import type { EventDraft, NumberedItem } from "../draft.ts";
import type { DemoModel } from "../models.ts";
import type { Random } from "../random.ts";
import type { DemoProject } from "../team.ts";
import { projectFields } from "./host.ts";
import type { Task } from "./tasks.ts";

export interface AgentRun {
  project: DemoProject;
  issue: NumberedItem;
  task: Task;
  model: DemoModel;
  lane: string;
  runner: string;
  random: Random;
  /** Where the runs of the month are collected. */
  runs: DemoRun[];
}

/** A run of the month: its number is 0 until it began. */
export interface DemoRun {
  number: NumberedItem;
  project: string;
  issue: NumberedItem;
  /** What it is about, as it asks for its brief. */
  intent: string;
  agent: string;
  at: Micros;
}

export const runIdOf = ({ number }: NumberedItem): string => `run-${number}`;

type Phrase = (source: string, test: string) => string;

const readingSteps: Phrase[] = [
  (source) => `Read ${source} and what calls it`,
  (source) => `Looked for the cause in ${source}`,
  (source) => `Read the decisions about this area, then ${source}`,
  (source, other) => `Compared ${source} with what ${other} expects`,
];
const reproducingSteps: Phrase[] = [
  (_, other) => `Added the case of the issue to ${other}`,
  () => "Wrote a test that fails the way the issue says",
  (source) => `Found the smallest input that ${source} gets wrong`,
];
const changingSteps: Phrase[] = [
  (source) => `Changed ${source}`,
  (source) => `Moved the rule into ${source} and took the special case out`,
  (_, other) => `Brought ${other} in line`,
  (source) => `Split the long function in ${source}`,
  (source) => `Gave the names in ${source} their present meaning`,
];
const finalSteps: Phrase[] = [
  () => "Read the whole change once more and removed two leftovers",
  () => "Wrote the text of the pull request",
  (source) => `Checked the comments in ${source}`,
];

/** Minimum and maximum tokens of a step; later steps read more of the conversation from the cache. */
const tokenRanges = {
  in: [2_500, 24_000],
  out: [500, 6_500],
  cacheRead: [30_000, 120_000],
  cacheWrite: [5_000, 32_000],
} as const;

/** Yields the events of a run. @returns when it ended */
export function* agentRunEvents(
  agentRun: AgentRun,
  start: Micros,
  failure?: string,
): Generator<EventDraft, Micros> {
  const { project, issue, task, model, lane, runner, random, runs } = agentRun;
  const self: NumberedItem = { sequence: "runs", number: 0 };
  runs.push({
    number: self,
    project: project.slug,
    issue,
    intent: task.issueTitle,
    agent: model.agent,
    at: start,
  });
  const common = () => ({
    ...projectFields(project),
    issue: issue.number,
    run_id: runIdOf(self),
    lane,
    model: model.id,
    subscription: model.subscription,
  });
  const started = () => `Run ${self.number} started on #${issue.number}: ${task.issueTitle}`;
  yield {
    at: start,
    begins: self,
    event: () => ({ kind: "run.started", actor: runner, summary: started(), ...common() }),
  };

  let at = start + random.between(4_000_000, 15_000_000);
  for (const [index, summary] of stepsOf(agentRun, failure !== undefined).entries()) {
    const duration_ms = random.between(18_000, 210_000);
    const step = { summary, duration_ms, ...tokensOf(model, index, random) };
    at += duration_ms * 1000 + random.between(200_000, 900_000);
    yield { at, event: () => ({ kind: "step.usage", actor: model.agent, ...step, ...common() }) };
  }

  at += random.between(2_000_000, 40_000_000);
  const end = { actor: runner, duration_ms: Math.floor((at - start) / 1000) };
  const changes =
    `${random.between(2, 9)} files changed, ${random.between(12, 240)} lines added, ` +
    `${random.between(2, 120)} removed`;
  yield {
    at,
    event: () =>
      failure === undefined
        ? { kind: "run.finished", ...end, summary: `Run ${self.number} finished: ${changes}`, ...common() }
        : { kind: "run.failed", ...end, summary: `Run ${self.number} failed: ${failure}`, ...common() },
  };
  return at;
}

function stepsOf({ project, task, random }: AgentRun, fails: boolean): string[] {
  const [source, other] = task.files ?? ["README.md", "README.md"];
  const describe = (phrases: Phrase[]) => random.pick(phrases)(source, other);
  const check = project.check.split(" -", 1)[0];
  const red = () => `Ran ${check}: ${random.between(2, 7)} failures`;
  const steps = [describe(readingSteps), describe(reproducingSteps), describe(changingSteps)];
  if (random.chance(0.6)) steps.push(red(), describe(changingSteps));
  if (fails) return steps;
  return [...steps, `Ran ${check}: all green`, ...(random.chance(0.5) ? [describe(finalSteps)] : [])];
}

export function tokensOf({ price }: DemoModel, index: number, random: Random) {
  const pickFrom = ([min, max]: readonly [number, number]) => random.between(min, max);
  const tokens_in = pickFrom(tokenRanges.in);
  const tokens_out = pickFrom(tokenRanges.out);
  const cache_read = index === 0 ? 0 : pickFrom(tokenRanges.cacheRead) * Math.min(index, 5);
  const cache_write = price.cacheWrite === 0 ? 0 : pickFrom(tokenRanges.cacheWrite);
  const cost =
    tokens_in * price.in +
    tokens_out * price.out +
    cache_read * price.cacheRead +
    cache_write * price.cacheWrite;
  // Prices are per million tokens, and costs are rounded to a millionth of a dollar.
  return { tokens_in, tokens_out, cache_read, cache_write, cost_equiv: Math.round(cost) / 1e6 };
}
