/**
 * Which failures still need a person: the one rule of Today, the inbox, and emails. A failure is repaired
 * when its run finished later, another run of its task did, its issue or pull request was closed, or a later
 * pipeline of the workflow and branch, or preview, succeeded.
 */

import { Cache, textBytes } from "../../core/lib/cache.ts";
import { type Micros, toMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { FeedReads } from "../port.ts";
import type { RenderedEvent } from "../rows.ts";
import type { Event } from "../schema.ts";
import { isPipeline } from "./pipelines.ts";

/** Successes that are read, newest first. */
const successesMax = 500;
/** The outcomes of pipelines that succeeded. */
const succeeded = /: (success|succeeded|passed)$/;

/** An event of a run or preview that failed. */
export interface Failure {
  row: RenderedEvent;
  event: Event;
}

/** By their text: the count on every page needs hundreds of them again (`bun run bench page-times`). */
const failures = new Cache<string, Failure>({
  max: 2_000,
  bytesOf: ({ row }) => 2 * textBytes(row.wire),
});

export const toFailure = (row: RenderedEvent): Failure =>
  failures.getOrMake(row.wire, () => ({ row, event: JSON.parse(row.wire) as Event }));

/** The failures that are not repaired, in the same order. */
export async function unrepairedFailures(
  data: Pick<FeedReads, "feed" | "repairedSince">,
  projects: Projects,
  failures: readonly Failure[],
): Promise<Failure[]> {
  if (failures.length === 0) return [];
  const over = await data.repairedSince(failures.map(({ row }) => row.ts));
  const open = failures.filter(({ row }) => !over.has(row.ts));
  const [pipelines, previews] = await Promise.all([
    loadSuccesses(
      data,
      projects,
      open.filter(({ event }) => isPipeline(event.run_id)),
      "run.finished",
    ),
    loadSuccesses(
      data,
      projects,
      open.filter(({ event }) => event.kind === "preview.failed"),
      "preview.ready",
    ),
  ]);
  const isLater = (
    successes: Map<string, Micros>,
    keyOf: (event: Event) => string,
    { row, event }: Failure,
  ) => successes.size > 0 && (successes.get(keyOf(event)) ?? 0) > row.ts;
  const isRepaired = (failure: Failure) =>
    isLater(pipelines, workflowOf, failure) || isLater(previews, previewOf, failure);
  return open.filter((failure) => !isRepaired(failure));
}

/** The time of the newest success of each workflow or preview that failed. */
async function loadSuccesses(
  data: Pick<FeedReads, "feed">,
  projects: Projects,
  failures: readonly Failure[],
  kind: "run.finished" | "preview.ready",
): Promise<Map<string, Micros>> {
  if (failures.length === 0) return new Map();
  const rows = await data.feed(projects, {
    kind,
    actor: [...new Set(failures.map(({ event }) => event.actor))],
    after: Math.min(...failures.map(({ row }) => row.ts)),
    limit: successesMax,
  });
  const successes = rows
    .map(({ wire }) => JSON.parse(wire) as Event)
    .filter(({ summary }) => kind === "preview.ready" || succeeded.test(summary));
  const keyOf = kind === "preview.ready" ? previewOf : workflowOf;
  return new Map(successes.reverse().map((event) => [keyOf(event), toMicros(event.ts)]));
}

/** Project, system, workflow and branch: `CI #7 on main: failure` is `CI on main`. */
const workflowOf = ({ kind, project, actor, summary }: Event): string =>
  JSON.stringify([
    kind.startsWith("run."),
    project,
    actor,
    summary.replace(/: [^:]*$/, "").replace(/ #\d+/, ""),
  ]);

const previewOf = ({ kind, project, actor, issue, pr }: Event): string =>
  JSON.stringify([kind.startsWith("preview."), project, actor, issue, pr]);
