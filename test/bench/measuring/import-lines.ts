/** Lines of `svc event import`: past events of all kinds and 1,000 projects, the same ones in every run. */
import { fromMicros } from "../../../src/core/lib/time.ts";
import type { EventKind } from "../../../src/feed/schema.ts";
import { eventOf, timeOf } from "./events.ts";

const projectCount = 1_000;
/** How many runs of a part are open at a time: their events come in turn. */
const openRuns = 50;
const run: readonly EventKind[] = ["run.started", ...Array<EventKind>(6).fill("step.usage"), "run.finished"];

export const importedProjects = Array.from({ length: projectCount }, (_, index) => ({
  slug: `project-${index}`,
  repo: `acme/project-${index}`,
}));

interface Place {
  kind: EventKind;
  /** Of the work that it belongs to: events of the same have one project, one actor and one task. */
  work: number;
}

const inTurn =
  (...kinds: EventKind[]) =>
  (index: number): Place => ({ kind: kinds[index % kinds.length] as EventKind, work: index });

function inRuns(index: number): Place {
  const batch = openRuns * run.length;
  const within = index % batch;
  return {
    kind: run[Math.floor(within / openRuns)] as EventKind,
    work: Math.floor(index / batch) * openRuns + (within % openRuns),
  };
}

/** What a log holds, in equal parts. */
const parts = {
  checks: inTurn("workflow.run", "preview.ready", "workflow.run", "preview.failed"),
  tasks: inTurn(
    ...(["issue.opened", "issue.labeled", "pr.opened", "pr.review"] as const),
    ...(["pr.merged", "issue.closed", "pr.closed"] as const),
  ),
  "runs by their task": inRuns,
  "named runs": inRuns,
  "steps without a run": inTurn("step.usage"),
};
export type Part = keyof typeof parts;
export const allParts = Object.keys(parts) as Part[];

/** Line `index` of a log of these parts. */
export function lineOf(index: number, names: readonly Part[] = allParts): string {
  const part = names[index % names.length] as Part;
  const { kind, work } = parts[part](Math.floor(index / names.length));
  const { slug, repo } = importedProjects[Math.imul(work + 1, 7_919) % projectCount] as {
    slug: string;
    repo: string;
  };
  const isWork = kind.startsWith("run.") || kind === "step.usage";
  const task = 1 + (work % 900);
  const { lane, model, subscription } = eventOf(work);
  return JSON.stringify({
    ...eventOf(index, "equal", kind),
    ts: fromMicros(timeOf(index)),
    project: slug,
    repo,
    ...{ lane, model, subscription },
    actor: isWork ? `agent:codex-${work % 7}` : "human:maria",
    issue: part === "steps without a run" ? null : task,
    pr: kind.startsWith("pr.") ? task + 1 : null,
    ...(part === "named runs" && { run_id: `run-${work}` }),
    url: `https://github.com/${repo}/issues/${task}`,
  });
}
