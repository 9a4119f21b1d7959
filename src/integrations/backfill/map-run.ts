/** What a session of the past becomes: the events that its hooks and its telemetry would have sent. */
import { agents } from "../../core/agents/agents.ts";
import { toMicros } from "../../core/lib/time.ts";
import { sessionReport } from "../agent-hooks/session-report.ts";
import type { Mapped } from "../telemetry/sources/source.ts";
import { failedStep, type Step, usageStep } from "../telemetry/sources/step.ts";
import type { BackfillRun, BackfillStep } from "./schema.ts";

/** What hooks have already reported of it. */
export interface Reported {
  start: boolean;
  end: boolean;
}

/** The events of a run, without those that are reported. */
export function mapRun(run: BackfillRun, reported: Reported): Mapped[] {
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
