/**
 * The run of a pipeline, from the webhooks of a forge. Its end tells its start as well: so a pipeline is
 * complete whatever deliveries are late, repeated, or missing, and their order does not matter.
 */
import type { SourceRepository } from "../../core/forges/schema.ts";
import type { Appendable } from "../../feed/rows.ts";
import { payloadOf } from "../../feed/runs/payload.ts";
import { type PipelineSystem, pipelineRunId } from "../../feed/runs/pipelines.ts";
import { cleanEvent, spaced, type Text } from "./event-text.ts";

/** What happened in a pipeline. */
interface PipelineChange extends Pick<Appendable, "pr" | "duration_ms"> {
  kind: "run.started" | "step.usage" | "run.finished" | "run.failed";
  /** Tells it from the other changes of the pipeline. */
  key: string;
  /** When it happened, by the sender's clock. */
  at: Text;
  summary: string;
  url: Text;
}

export interface PipelineRun {
  id: string;
  system: PipelineSystem;
  changes: PipelineChange[];
}

/** A pipeline as its forge names it. @param at when it started */
export interface Pipeline extends Pick<PipelineChange, "at" | "url" | "pr"> {
  system: PipelineSystem;
  /** What identifies it in its system. */
  ids: readonly number[];
  /** `CI #7 on main` */
  name: string;
  /** Its end, once it has ended. */
  end?: { outcome: string; at: Text; duration_ms: number | null };
}

/** A job that ended. */
export interface PipelineJob extends Pick<PipelineChange, "at" | "url"> {
  id: number;
  name: string;
  outcome: string;
  duration_ms: number | null;
  /** What made it fail. */
  cause?: Text;
}

/** Outcomes of a pipeline that failed; one that was canceled or skipped did not. */
const failures = new Set(["failure", "failed", "timed_out", "startup_failure"]);

/** The start of a pipeline, its jobs, and its end. */
export function pipelineRun(pipeline: Pipeline, jobs: readonly PipelineJob[] = []): PipelineRun {
  const { system, ids, name, at, url, pr, end } = pipeline;
  const of = { url, pr: pr ?? null };
  const started = { ...of, kind: "run.started" as const, key: `started:${at ?? ""}`, at };
  const { changes, ...run } = jobRun(system, ids, jobs);
  const ended = end && {
    ...of,
    kind: failures.has(end.outcome) ? ("run.failed" as const) : ("run.finished" as const),
    key: `ended:${end.outcome}:${end.at ?? ""}`,
    at: end.at,
    duration_ms: end.duration_ms,
    summary: `${name}: ${spaced(end.outcome)}`,
  };
  const start = { ...started, summary: `${name} started` };
  return { ...run, changes: [start, ...changes, ...(ended ? [ended] : [])] };
}

/** Jobs of a pipeline of which nothing else is known. */
export const jobRun = (
  system: PipelineSystem,
  ids: readonly number[],
  jobs: readonly PipelineJob[],
): PipelineRun => ({
  id: pipelineRunId(system, ...ids),
  system,
  changes: jobs.map(({ id, name, outcome, cause, at, ...job }) => ({
    ...job,
    kind: "step.usage",
    key: `job:${id}:${at ?? ""}`,
    at,
    summary: `Job ${name}: ${spaced(outcome)}${cause ? ` at ${cause}` : ""}`,
  })),
});

/** The events of a run. A pipeline is known once per repository, whatever webhook tells it. */
export const eventsOfPipeline = (
  { id, system, changes }: PipelineRun,
  repository: SourceRepository,
  keyPrefix: string,
): Appendable[] =>
  changes.map(({ key, at, ...change }) =>
    cleanEvent({
      ...change,
      actor: `runner:${system}`,
      repo: repository.full_name,
      run_id: id,
      dedupe_key: `${keyPrefix}${id}:${repository.id}:${key}`,
      payload: payloadOf({ ts: at }),
    }),
  );
