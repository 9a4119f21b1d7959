/** Results that are tasks: an issue with its pull requests is one. They are found by how they were opened. */
import { formatCost, pluralize } from "../../core/lib/quantities.ts";
import { toMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import { taskUrl } from "../../feed/runs/page-url.ts";
import { lostBefore } from "../../feed/runs/runs.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import { score, textTerms } from "../../memory/recall/ranking.ts";
import { type MemoryHit, searchTerms } from "../../memory/recall/search.ts";
import { openingTerm } from "../../memory/schema.ts";
import type { OverviewContext } from "../context.ts";
import type { TaskKey } from "../rows.ts";
import { toTask } from "../tasks/listed-task.ts";
import type { ListedTask } from "../tasks/schema.ts";
import { analyzeTitle, type Query, relevanceOf } from "./relevance.ts";
import type { Found } from "./result.ts";

type TaskContext = Pick<OverviewContext, "data" | "config" | "now">;

/** Openings that are read for each result: an issue and its pull requests may all match. */
const openingsPerResult = 2;

/** The tasks whose openings match, those whose title matches best first. */
export async function findTasks(
  ctx: TaskContext,
  projects: Projects,
  query: Query,
  limit: number,
): Promise<Found[]> {
  const hits = await searchTerms(ctx.data, projects, query.terms, {
    kinds: ["event"],
    within: { term: openingTerm },
    limit: openingsPerResult * limit,
  });
  const openings = new Map<string, Opening>();
  const keys = await Promise.all(hits.map((hit) => keyOf(ctx, hit)));
  for (const [index, { row }] of hits.entries()) {
    const key = keys[index];
    if (key) openings.getOrInsert(taskId(key), { key, texts: [] }).texts.push(row.text);
  }
  const best = [...openings.values()]
    .map((opening) => ({ ...opening, ...matchOpening(query, opening) }))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, limit);
  const rows = await ctx.data.taskRows(
    best.map(({ key }) => key),
    lostBefore(ctx),
  );
  const tasks = new Map(rows.map((row) => [taskId(row), toTask(row)]));
  return best.flatMap(({ key, matched, relevance }) => {
    const task = tasks.get(taskId(key));
    return task ? [{ ...toFound(task), matched, relevance }] : [];
  });
}

interface Opening {
  key: TaskKey;
  /** The openings of the issue and of its pull requests that match, the best first. */
  texts: string[];
}

/** How well a task matches: by the best title, and by the others and its numbers. */
function matchOpening(query: Query, { key, texts }: Opening) {
  const head = taskTitle(texts[0] ?? "");
  const about = [key.project, ...texts].join(" ");
  const { score: value, matched, coverage } = score(query.terms, textTerms({ head, about, text: "" }));
  const relevance = relevanceOf(query, { coverage }, analyzeTitle(head));
  return { value: value * (1 + relevance), matched, relevance };
}

/** The task that an event opened or is about; null without one. */
export async function keyOf({ data }: TaskContext, { row }: MemoryHit): Promise<TaskKey | null> {
  const { project, event } = row;
  if (project === null || !event) return null;
  if (event.issue !== null || event.pr === null)
    return event.issue === null ? null : { project, issue: event.issue, pr: null };
  const issue = await data.issueOfPullRequest(project, event.pr);
  return { project, issue, pr: issue === null ? event.pr : null };
}

export const taskId = ({ project, issue, pr }: TaskKey): string => `${project}#${issue ?? pr}`;

/** One task as a result; null if nothing is known of it. */
export async function loadTask(ctx: TaskContext, key: TaskKey): Promise<Found | null> {
  const [row] = await ctx.data.taskRows([key], lostBefore(ctx));
  return row ? toFound(toTask(row)) : null;
}

function toFound(task: ListedTask): Found {
  const { project, issue, task: key, pr, title, stage, pulls, runs, cost_equiv, last_event_at } = task;
  const isPull = issue === null && key === null;
  const name = isPull ? `Pull request #${pr}` : (key ?? `Issue #${issue}`);
  const facts = [
    name,
    ...(isPull ? [] : pulls.map(({ number }) => `pull request #${number}`)),
    stage,
    ...(runs > 0 ? [pluralize(runs, "run")] : []),
    ...(cost_equiv > 0 ? [formatCost(cost_equiv)] : []),
  ];
  return {
    type: "task",
    id: key === null ? taskId(task) : `${project} ${key}`,
    project,
    title: title ?? name,
    text: facts.join(", "),
    path: taskUrl(task) ?? "",
    ...(runs > 0 && { at: toMicros(last_event_at) }),
  };
}
