/** Events that agents and their runners report. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { requireLane } from "../feed/feed.ts";
import {
  type AppendRequest,
  type AppendResult,
  dedupeScope,
  EventInput,
  type ImportedEvent,
  isReservedKey,
  reservedKeyPrefixes,
} from "../feed/schema.ts";
import { badRequest } from "../problem.ts";
import type { Appendable } from "../rows.ts";

/** Appends a batch, all or nothing. A claimed time is kept, and orders nothing. */
export async function appendEvents(
  ctx: Context,
  { events }: AppendRequest,
  caller: Pick<Caller, "projects" | "name">,
): Promise<AppendResult> {
  for (const [index, { dedupe_key: key }] of events.entries()) {
    if (key && isReservedKey(key))
      throw badRequest(
        `events[${index}].dedupe_key: the prefixes ${reservedKeyPrefixes.join(" and ")} are reserved; use another one.`,
      );
  }
  const batch = await placed(ctx, events, caller);
  const { added, duplicates } = await ctx.data.append(batch.map((event) => appendable(event, caller)));
  return { accepted: added.length, duplicates };
}

const names = Object.keys(EventInput.properties).filter((name) => name !== "ts") as (keyof EventInput)[];

/** The members that an event has, and none that only its row has: those are not a caller's to say. */
function appendable(event: EventInput, { name }: Pick<Caller, "name">): Appendable {
  const said: Record<string, unknown> = { key_scope: dedupeScope(event.project ?? null, name ?? "") };
  for (const name of names) if (event[name] !== undefined) said[name] = event[name];
  if (event.ts) said.payload = { ts: event.ts };
  return said as Appendable;
}

/**
 * Each event with its project: the one it names, or that of its repository. Refuses what this deployment does
 * not have.
 */
export async function placed<E extends ImportedEvent>(
  ctx: Context,
  events: E[],
  caller: Pick<Caller, "projects">,
): Promise<E[]> {
  const { config, data } = ctx;
  const repos = [
    ...new Set(events.flatMap((event) => (event.repo && !event.project ? event.repo.toLowerCase() : []))),
  ];
  const slugs = new Set(events.flatMap((event) => event.project ?? []));
  const byRepo = await data.projectsOfRepos(repos);
  const linked = new Set<string>();
  for (const slug of slugs) if (await data.project(caller.projects, slug)) linked.add(slug);
  return events.map((event, index) => {
    requireLane(config, event.lane, `events[${index}].lane`);
    const project = event.project ?? (event.repo ? (byRepo.get(event.repo.toLowerCase()) ?? null) : null);
    if (event.project && !linked.has(event.project))
      throw badRequest(`events[${index}].project: no project with slug '${event.project}'.`);
    if (caller.projects && (project === null || !caller.projects.includes(project)))
      throw badRequest(`events[${index}].project: this token appends to ${caller.projects.join(", ")} only.`);
    return { ...event, project };
  });
}
