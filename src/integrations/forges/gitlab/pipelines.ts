/** Maps GitLab's webhooks of pipelines and their jobs. */
import { type Static, Type } from "@sinclair/typebox";
import { checker } from "../../../core/lib/validate.ts";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { runName, spaced, type Text } from "../../incoming-webhooks/event-text.ts";
import { type MappedEvent, ObjectId, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { jobRun, type PipelineJob, pipelineRun } from "../../incoming-webhooks/pipeline-run.ts";
import { defineMapping, type Envelope, gitlabTime } from "./envelope.ts";

/** Jobs that are retried run in the same pipeline. */
const system = "gitlab-ci";

const Seconds = Type.Optional(Nullable(Type.Number({ minimum: 0 })));
const toMs = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : Math.round(seconds * 1000);

/** A job, as the webhook of its pipeline lists it. */
const Build = Type.Object({
  id: ObjectId,
  name: Type.String(),
  status: Type.String(),
  duration: Seconds,
  finished_at: OptionalText,
  failure_reason: OptionalText,
});
type Build = Static<typeof Build>;

/** Pipelines and jobs that ran and ended. */
const ended = new Set(["success", "failed", "canceled"]);
/** Jobs of one delivery; a larger pipeline tells the others by their own webhooks. */
const jobsMax = 200;

const toJob = (
  { id, name, status, duration, finished_at, failure_reason }: Build,
  { web_url }: Envelope["project"],
): PipelineJob => ({
  id,
  name,
  outcome: status,
  at: gitlabTime(finished_at),
  duration_ms: toMs(duration),
  url: `${web_url}/-/jobs/${id}`,
  cause: status === "failed" ? failure_reason && spaced(failure_reason) : null,
});

/** Without the time of its end, a job would seem to be the last of its run. */
const hasRun = ({ outcome, at }: PipelineJob): boolean => ended.has(outcome) && at !== null;

function jobsOf(builds: readonly unknown[], project: Envelope["project"]): PipelineJob[] {
  const valid = builds.filter((build): build is Build => checker(Build).Check(build));
  const jobs = valid.sort((a, b) => a.id - b.id).map((build) => toJob(build, project));
  return jobs.filter(hasRun).slice(0, jobsMax);
}

export const pipelineMappings = {
  pipeline: defineMapping({
    members: {
      object_attributes: Type.Object({
        id: ObjectId,
        status: Type.String(),
        ref: OptionalText,
        name: OptionalText,
        url: OptionalText,
        created_at: OptionalText,
        finished_at: OptionalText,
        duration: Seconds,
      }),
      merge_request: Type.Optional(
        Nullable(
          Type.Object({
            iid: TaskNumber,
            target_project_id: Type.Optional(Type.Integer()),
            source_project_id: Type.Optional(Type.Integer()),
            source_branch: OptionalText,
          }),
        ),
      ),
      builds: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
    },
    kinds: {
      success: "workflow.run",
      failed: "workflow.run",
      canceled: "workflow.run",
      skipped: "workflow.run",
    },
    toEvent({ object_attributes: pipeline, merge_request, project, builds }): MappedEvent {
      const { id, status, ref, created_at } = pipeline;
      const at = gitlabTime(pipeline.finished_at);
      const isOwn = merge_request && (merge_request.target_project_id ?? project.id) === project.id;
      const of = {
        pr: isOwn ? merge_request.iid : null,
        url: pipeline.url || `${project.web_url}/-/pipelines/${id}`,
      };
      const name = runName(pipeline.name || "Pipeline", id, ref);
      const duration_ms = toMs(pipeline.duration);
      const begun = { ...of, system, ids: [id], name, at: gitlabTime(created_at) } as const;
      const end = { outcome: status, at, duration_ms };
      const hasEnded = ended.has(status);
      return {
        ...of,
        outcome: status,
        summary: `${name}: ${spaced(status)}`,
        duration_ms,
        change: { id, at },
        branch: branchOf(ref, merge_request, project.id),
        run:
          hasEnded || status === "running"
            ? pipelineRun(
                { ...begun, ...(hasEnded && { end }) },
                hasEnded ? jobsOf(builds ?? [], project) : [],
              )
            : undefined,
      };
    },
  }),

  build: defineMapping({
    members: {
      build_id: ObjectId,
      build_name: Type.String(),
      build_status: Type.String(),
      build_duration: Seconds,
      build_finished_at: OptionalText,
      build_failure_reason: OptionalText,
      pipeline_id: ObjectId,
    },
    kinds: {},
    toEvent({ project, pipeline_id, ...build }) {
      const { build_id: id, build_name: name, build_status: status, build_duration: duration } = build;
      const { build_finished_at: finished_at = null, build_failure_reason: failure_reason = null } = build;
      const job = toJob(
        { id, name, status, duration: duration ?? null, finished_at, failure_reason },
        project,
      );
      return {
        outcome: status,
        summary: name,
        url: job.url,
        change: { id, at: job.at },
        run: hasRun(job) ? jobRun(system, [pipeline_id], [job]) : undefined,
      };
    },
  }),
};

interface MergeRequest {
  source_project_id?: number;
  source_branch?: string | null;
}

/** The `ref` of a merge request's pipeline is that of the request. A fork's branch tells nothing. */
function branchOf(ref: Text, request: MergeRequest | null | undefined, projectId: number): Text {
  if (!request) return ref;
  return (request.source_project_id ?? projectId) === projectId ? (request.source_branch ?? ref) : null;
}

const ProjectOfJob = Type.Object({
  project_id: ObjectId,
  repository: Type.Object({ homepage: Type.String({ pattern: "^https?://[^/]+/" }) }),
});

/** Older versions name the project of a job by its id and the URL of its repository. */
export function withProject(body: object): object {
  if ("project" in body || !checker(ProjectOfJob).Check(body)) return body;
  const { project_id: id, repository } = body as Static<typeof ProjectOfJob>;
  const path = URL.parse(repository.homepage)?.pathname.slice(1) ?? "";
  return { ...body, project: { id, path_with_namespace: path, web_url: repository.homepage } };
}
