/** Appends events reported by agents and their runners. */
import type { Caller, Viewer } from "../../core/auth/caller.ts";
import { badRequest } from "../../core/problem.ts";
import type { FeedContext } from "../context.ts";
import { requireLane } from "../feed.ts";
import { taskOfBranch } from "../projects/branch-task.ts";
import { dedupeScope, isReservedKey, reservedKeyPrefixes } from "../reserved-keys.ts";
import type { Appendable } from "../rows.ts";
import { hookKeyPrefix, payloadOf, turnOfKey } from "../runs/payload.ts";
import { requireOwnRunId } from "../runs/rule.ts";
import { requirePaths } from "../runs/touched-files.ts";
import { EventInput, type ImportedEvent } from "../schema.ts";
import { requireOneTask } from "../tasks/one-task.ts";
import { emailIdentity, withOwners } from "./owners.ts";
import type { AppendRequest, AppendResult } from "./schema.ts";

/** The name of an event's field as the caller knows it, for error messages. */
type FieldName = (index: number, field: string) => string;
const batchField: FieldName = (index, field) => `events[${index}].${field}`;

/**
 * Appends a batch in one transaction: all events or none. A `ts` sent by the client is stored in the payload
 * and does not affect the order.
 * @throws 400 for a reserved `dedupe_key`, an unknown lane or project, or a project the token may not write
 * to
 */
export async function appendEvents(
  ctx: FeedContext,
  { events }: AppendRequest,
  caller: Pick<Caller, "projects" | "name" | "hash" | "person" | "team">,
  nameOf: FieldName = batchField,
): Promise<AppendResult> {
  for (const [index, { dedupe_key: key }] of events.entries()) {
    if (key && isReservedKey(key))
      throw badRequest(
        `${nameOf(index, "dedupe_key")}: the prefixes ${reservedKeyPrefixes.join(", ")} are ` +
          "reserved; use another one.",
      );
  }
  if (events.some(isOfHook)) ctx.audit.recordAgent(caller.hash);
  const batch = await withBranchTasks(ctx, await resolveProjects(ctx, events, caller, nameOf));
  const rows = batch.map((event) => toAppendable(event, caller));
  const { added, duplicates } = await ctx.data.append(
    await withOwners(ctx, rows, (index) => emailIdentity(batch[index]?.email)),
  );
  return { accepted: added.length, duplicates };
}

/** An event that names a branch and no task is one of the task that the branch is named after. */
async function withBranchTasks(
  { data }: Pick<FeedContext, "data">,
  events: EventInput[],
): Promise<EventInput[]> {
  const isOpen = ({ issue, task, pr, branch }: EventInput) => branch && (issue ?? task ?? pr) == null;
  const slugs = new Set(events.flatMap((event) => (isOpen(event) && event.project) || []));
  const rows = await Promise.all([...slugs].map((slug) => data.project(null, slug)));
  const projects = new Map(rows.map((row) => [row?.slug, row]));
  return events.map((event) => {
    const project = isOpen(event) ? projects.get(event.project ?? undefined) : null;
    return project ? { ...event, ...taskOfBranch(event.branch ?? "", project) } : event;
  });
}

const inputFields = Object.keys(EventInput.properties).filter(
  (name) => !["ts", "parent_run_id", "branch", "files", "email"].includes(name),
) as (keyof EventInput)[];

/** Whether an agent's hook reports its run. */
const isOfHook = ({ run_id, dedupe_key }: EventInput): boolean =>
  run_id !== undefined && dedupe_key?.startsWith(hookKeyPrefix) === true;

/** Copies only the fields of the input schema: a caller must not set columns that belong to the row. */
export function toAppendable(
  event: EventInput,
  { name, person, team }: Pick<Caller, "name" | "person" | "team">,
): Appendable {
  const row: Record<string, unknown> = { key_scope: dedupeScope(event.project ?? null, name ?? "") };
  if (person !== undefined) row.person = person;
  if (team !== undefined) row.team = team;
  for (const field of inputFields) if (event[field] !== undefined) row[field] = event[field];
  const payload = payloadOf({
    ts: event.ts,
    parent_run_id: event.parent_run_id,
    branch: event.branch,
    token: event.kind === "run.started" ? name : null,
    hook: isOfHook(event) ? true : null,
    files: event.run_id ? event.files : null,
    turn: event.kind === "step.usage" && event.dedupe_key ? turnOfKey(event.dedupe_key) : null,
  });
  if (payload) row.payload = payload;
  return row as Appendable;
}

/**
 * Sets each event's project: the one it names, or the one its repository is linked to.
 * @throws 400, naming the field, for an unknown lane or project, an issue beside a task key, a project the
 * caller may not write to, or a `run_id` that the service derives itself
 */
export async function resolveProjects<E extends ImportedEvent>(
  ctx: FeedContext,
  events: E[],
  caller: Viewer,
  nameOf: FieldName = batchField,
): Promise<E[]> {
  const { config, data } = ctx;
  const repos = [
    ...new Set(events.flatMap((event) => (event.repo && !event.project ? event.repo.toLowerCase() : []))),
  ];
  const slugs = new Set(events.flatMap((event) => event.project ?? []));
  const byRepo = repos.length > 0 ? await data.projectsOfRepos(repos) : new Map<string, string>();
  const linked = await data.linkedProjects(caller.projects, slugs);
  return events.map((event, index) => {
    requireLane(config, event.lane, nameOf(index, "lane"));
    requireOneTask(event, nameOf(index, "task"));
    requirePaths(event.files, nameOf(index, "files"));
    requireOwnRunId(event.run_id, nameOf(index, "run_id"));
    const project = event.project ?? (event.repo ? (byRepo.get(event.repo.toLowerCase()) ?? null) : null);
    if (event.project && !linked.has(event.project))
      throw badRequest(`${nameOf(index, "project")}: no project with slug '${event.project}'.`);
    if (caller.projects && (project === null || !caller.projects.includes(project)))
      throw badRequest(
        `${nameOf(index, "project")}: this token can only append to ${caller.projects.join(", ")}.`,
      );
    return event.project === project ? event : { ...event, project };
  });
}
