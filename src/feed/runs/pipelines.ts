/**
 * Pipelines of CI systems as runs. A pipeline begins with its start or end: its jobs can be told first, or
 * alone if a webhook sends only them, and a run that has only jobs would never end.
 */
import type { EventRow } from "../schema.ts";
import { endKinds } from "./rule.ts";

/** The CI systems whose pipelines webhooks tell of. */
const pipelineSystems = ["github-actions", "gitlab-ci", "gitea-actions"] as const;
export type PipelineSystem = (typeof pipelineSystems)[number];

/** How ids of pipelines begin. None is the prefix of another. */
export const pipelineIdPrefixes = pipelineSystems.map((system) => `${system}/`);

/** `github-actions/1589141559/1`. @param parts what identifies the pipeline in its system */
export const pipelineRunId = (system: PipelineSystem, ...parts: number[]): string =>
  [system, ...parts].join("/");

/** Whether a `run_id` is that of a pipeline. */
export const isPipeline = (runId: string | null | undefined): boolean =>
  runId != null && pipelineIdPrefixes.some((prefix) => runId.startsWith(prefix));

/** Whether an event can be the first of its run. */
export const canBeginRun = ({ run_id, kind }: Pick<EventRow, "run_id" | "kind">): boolean =>
  !isPipeline(run_id) || kind === "run.started" || endKinds.has(kind);
