/**
 * Appends sessions of the past at their own times, and what hooks and telemetry have reported of them only
 * once. Such an event causes no webhook, no mail, no notice of a budget, and no item of an inbox.
 */

import { agents } from "../../core/agents/agents.ts";
import { type Micros, toMicros } from "../../core/lib/time.ts";
import { TimeSlices } from "../../core/lib/time-slices.ts";
import { badRequest } from "../../core/problem.ts";
import { pastTimeFault } from "../../feed/ingest/past-time.ts";
import type { Appendable, RunPlace } from "../../feed/rows.ts";
import { sessionReport } from "../agent-hooks/session-report.ts";
import type { IntegrationsRule } from "../context.ts";
import { type Prepared, prepareEvents, summaryOf } from "../telemetry/ingest.ts";
import { readRunPlaces } from "../telemetry/mapping.ts";
import type { Mapped } from "../telemetry/sources/source.ts";
import { failedStep, type Step, usageStep } from "../telemetry/sources/step.ts";
import { recordedCalls } from "./recorded-calls.ts";
import type { BackfillRequest, BackfillResult, BackfillRun, BackfillStep } from "./schema.ts";

/** Events of one transaction. Other requests have a turn between two. */
const batchMax = 500;

/** @throws 400 for a time in the future, or before 1970 */
export const backfillRuns: IntegrationsRule<BackfillRequest, BackfillResult> = async (
  ctx,
  { runs },
  caller,
) => {
  requirePast(runs, ctx.now());
  const slices = new TimeSlices();
  const ids = runs.map(({ id }) => id);
  const known = await readRunPlaces(ctx, caller, ids);
  const mapped: Mapped[] = [];
  let duplicates = 0;
  for (const run of runs) {
    const places = known.get(run.id) ?? [];
    // Hooks can report to another project than that of the repository.
    const place = places.find(({ project }) => project === run.project) ?? places[0];
    const own = place ? { ...run, project: place.project } : run;
    const calls = place ? await recordedCalls(ctx, place, own) : null;
    const steps = calls ? own.steps.filter((step) => !calls.take(step)) : own.steps;
    duplicates += own.steps.length - steps.length;
    const reported = reportedOf(place, own);
    duplicates += Number(reported.start) + Number(reported.end && own.ended_at !== undefined);
    mapped.push(...mapRun({ ...own, steps }, reported));
    if (slices.isOver) await slices.next();
  }
  const { pending, problems } = await prepareEvents(ctx, mapped, caller, slices);
  const events = pending.map(toPastEvent);
  let accepted = 0;
  for (let first = 0; first < events.length; first += batchMax) {
    await slices.next();
    const result = await ctx.data.append(events.slice(first, first + batchMax));
    accepted += result.added.length;
    duplicates += result.duplicates;
  }
  const { rejected, message } = summaryOf(problems);
  return { accepted, duplicates, rejected, message };
};

function requirePast(runs: readonly BackfillRun[], now: Micros): void {
  for (const [index, { started_at, ended_at, steps }] of runs.entries())
    for (const time of [started_at, ended_at, ...steps.map(({ at }) => at)]) {
      const fault = time === undefined ? null : pastTimeFault(time, now);
      if (fault) throw badRequest(`runs[${index}]: ${time} ${fault}.`);
    }
}

/** A run that hooks report ends as they say; another one has its latest end. */
const reportedOf = (place: RunPlace | undefined, { ended_at }: BackfillRun) => ({
  start: place?.isReported ?? false,
  end:
    place !== undefined &&
    (place.isHooked || (ended_at !== undefined && (place.ended_at ?? 0) >= toMicros(ended_at))),
});

/** At its own time, and marked. The token did not report it. */
function toPastEvent({ event, mapped }: Prepared): Appendable {
  const { token: _, hook: _hook, turn: _turn, ...payload } = (event.payload ?? {}) as Record<string, unknown>;
  // First, so that a query finds it in the text.
  return { ...event, ts: toMicros(mapped.event.ts as string), payload: { past: true, ...payload } };
}

/** What hooks have already reported of it. */
interface Reported {
  start: boolean;
  end: boolean;
}

/** The events of a run, without those that are reported. */
function mapRun(run: BackfillRun, reported: Reported): Mapped[] {
  const { agent, id, parent, project, branch, pr, email, started_at, ended_at, failed } = run;
  const place = (of = branch) => ({ project, ...(of !== undefined && { branch: of }) });
  const named = { ...(branch !== undefined && { branch }), ...(email !== undefined && { email }) };
  const report = (phase: "start" | "end" | "failed", time: string, reason?: string): Mapped => {
    const subagent = parent !== undefined && { subagent: { id, type: undefined, isSession: true as const } };
    const session = { phase, reason, ...subagent };
    // A leap second is a timestamp, and no Date that can be parsed.
    const at = new Date(toMicros(time) / 1000);
    const event = sessionReport(agent, parent ?? id, session, { project, repo: null }, at);
    return { event: { ...event, ...named }, place: place(), source: agent };
  };
  const base = { actor: agents[agent].actor, run: id, parent };
  const steps = run.steps.map((step): Mapped => {
    const { event, ...mapped } = mapStep(step, base);
    return { ...mapped, event: { ...event, ...named }, place: place(step.branch), source: agent };
  });
  const start = reported.start ? [] : [report("start", started_at)];
  if (ended_at === undefined || reported.end) return [...start, ...steps];
  const end = report(failed === undefined ? "end" : "failed", ended_at, failed);
  if (pr !== undefined) end.event.pr = pr;
  return [...start, ...steps, end];
}

function mapStep(step: BackfillStep, run: Pick<Step, "actor" | "run" | "parent">) {
  const { at, key, model, provider, duration_ms: duration, cost, failed, cache_write_1h = 0 } = step;
  const call: Step = { ...run, nanos: BigInt(toMicros(at)) * 1000n, key, model, provider, duration, cost };
  if (failed !== undefined) return failedStep(call, failed);
  const { tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0 } = step;
  const apart = cache_write_1h > 0 && { apart: { cache_write_1h_tokens: cache_write_1h } };
  return usageStep(call, { tokens_in, tokens_out, cache_read, cache_write, ...apart });
}
