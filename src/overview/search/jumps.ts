/** Jumps: the one thing that a query names exactly, such as `#12`, `run-1588`, `decision 27`, or a hash. */

import { actorForms, actorLabel } from "../../core/auth/actor-name.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { personDoor } from "../../core/auth/persons.ts";
import { toMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import { isTaskKey, shownKey, taskNumberOf } from "../../core/task-key.ts";
import { slugPattern } from "../../core/wire.ts";
import type { Event } from "../../feed/schema.ts";
import { reviewSource } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import { findByHash, findByUrl, loadAsset } from "./asset-jumps.ts";
import { toFound } from "./event-results.ts";
import type { Found } from "./result.ts";
import { loadTask } from "./task-results.ts";

export interface JumpRights {
  projects: Projects;
  canReadFeed: boolean;
  canReadMemory: boolean;
  canReadAssets: boolean;
}

type Finder = (
  ctx: OverviewContext,
  name: string,
  projects: Projects,
  caller: Caller,
) => Promise<Found | null>;

/** In this order: a number that is a task and a run is the task. */
const finders: [right: Exclude<keyof JumpRights, "projects">, find: Finder][] = [
  ["canReadAssets", loadAsset],
  ["canReadAssets", findByHash],
  ["canReadAssets", findByUrl],
  ["canReadFeed", findTask],
  ["canReadMemory", findDecision],
  ["canReadFeed", findProject],
  ["canReadFeed", findRun],
  ["canReadFeed", findActor],
];

/** Returns what a query names, if the caller can read it; otherwise null. */
export async function findJump(
  ctx: OverviewContext,
  query: string,
  rights: JumpRights,
  caller: Caller,
): Promise<Found | null> {
  const name = query.trim();
  for (const [right, find] of finders) {
    const found = rights[right] ? await find(ctx, name, rights.projects, caller) : null;
    if (found) return found;
  }
  return null;
}

const task = new RegExp(
  `^(?:(${slugPattern})?[#!]|(?:issue|task|(pr|pull request|mr|merge request))\\s*[#!]?)?([1-9][0-9]{0,8})$`,
);

/** Events that say in which projects a number is a task. */
const namingEvents = 100;

/** A task with events: its page, or in several projects its events in the feed. */
async function findTask(ctx: OverviewContext, name: string, projects: Projects): Promise<Found | null> {
  const key = name.replace(/^task\s+/i, "");
  if (isTaskKey(key)) {
    const found = await taskNamed(ctx, projects, { task: key }, `/feed?task=${key}`, shownKey(key));
    if (found) return found;
  }
  const [, project, pull, digits] = task.exec(name.toLowerCase()) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  for (const field of pull ? (["pr"] as const) : (["issue", "pr"] as const)) {
    const filter = { [field]: number, ...(project !== undefined && { project }) };
    const title = `${field === "issue" ? "Issue" : "Pull request"} #${number}`;
    const found = await taskNamed(ctx, projects, filter, `/feed?${field}=${number}`, title);
    if (found) return found;
  }
  return null;
}

/** @param feed its events in the feed @param title how it is named there */
async function taskNamed(
  ctx: OverviewContext,
  projects: Projects,
  filter: { issue?: number; pr?: number; task?: string; project?: string },
  feed: string,
  title: string,
): Promise<Found | null> {
  const events = await ctx.data.feed(projects, { ...filter, limit: namingEvents });
  const slugs = [...new Set(events.map(({ wire }) => (JSON.parse(wire) as Event).project))];
  const [slug] = slugs;
  if (slug === undefined) return null;
  const { pr = null } = filter;
  if (slug === null || slugs.length > 1)
    return { type: "task", id: title.replace(/^.*#/, "#"), project: null, path: feed, title };
  const issue = pr === null ? taskNumberOf(filter) : await ctx.data.issueOfPullRequest(slug, pr);
  return loadTask(ctx, { project: slug, issue, pr: issue === null ? pr : null });
}

const decision = /^decision\s*#?([1-9][0-9]{0,8})$/i;

async function findDecision(
  { data }: OverviewContext,
  name: string,
  projects: Projects,
): Promise<Found | null> {
  const id = decision.exec(name)?.[1];
  const row = id === undefined ? null : await data.decision(projects, Number(id));
  return (
    row && {
      type: row.source === reviewSource ? "review" : "decision",
      id: String(row.id),
      project: row.project,
      title: row.text,
      text: `Decision ${row.id}`,
      path: `/memory/decisions/${row.id}`,
      at: row.valid_from,
    }
  );
}

const slug = new RegExp(`^${slugPattern}$`);

async function findProject(
  { data }: OverviewContext,
  name: string,
  projects: Projects,
): Promise<Found | null> {
  const id = name.toLowerCase();
  const project = slug.test(id) ? await data.project(projects, id) : null;
  return (
    project && { type: "project", id, project: id, title: id, path: `/projects/${id}`, text: project.repo }
  );
}

const run = /^run[\s#]+([^\s\p{C}]{1,128})$/iu;
const word = /^[^\s\p{C}]{1,128}$/u;

/** A run by its id, or by `run` and what its id has after `run-`. */
async function findRun(ctx: OverviewContext, name: string, projects: Projects): Promise<Found | null> {
  const rest = run.exec(name)?.[1];
  const ids = rest !== undefined ? [`run-${rest}`, rest] : word.test(name) ? [name] : [];
  for (const id of ids) {
    const [project, other] = await ctx.data.projectsOfRun(projects, id, 2);
    if (project === undefined) continue;
    const row = await ctx.data.run(projects, project, id);
    if (row && other === undefined) return toFound(ctx, row, row.summary);
    return { type: "run", id, project: null, title: `Run ${id}`, path: `/runs/${encodeURIComponent(id)}` };
  }
  return null;
}

/** Who reported events, by name, such as `codex` or `agent:codex`. */
async function findActor(
  ctx: OverviewContext,
  name: string,
  projects: Projects,
  caller: Caller,
): Promise<Found | null> {
  if (!word.test(name)) return null;
  const door = await personDoor(ctx, caller);
  const actors = actorForms(door ? door.revealActor(name) : name);
  const [newest] = await ctx.data.feed(projects, { actor: actors, limit: 1 });
  if (!newest) return null;
  const { actor, ts } = JSON.parse(newest.wire) as Event;
  const label = actorLabel(actor, ctx.config);
  return {
    type: "actor",
    id: label,
    project: null,
    title: label,
    text: `What ${label} did`,
    path: `/feed?${new URLSearchParams({ actor: label })}`,
    at: toMicros(ts),
  };
}
