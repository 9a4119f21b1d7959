/** A project with its decisions, models, and recent events. */

import type { Caller } from "../../core/auth/caller.ts";
import { requireProject, toProject } from "../../feed/projects/projects.ts";
import { modelOf } from "../../memory/models.ts";
import { toDecision } from "../../memory/to-decision.ts";
import type { OverviewContext } from "../context.ts";
import type { ProjectDetail } from "./schema.ts";

const decisionsMax = 200;

const recentEvents = 20;

/** A project with its current decisions, models, and recent events. @throws 404 */
export async function getProject(
  ctx: OverviewContext,
  slug: string,
  caller: Pick<Caller, "projects">,
): Promise<ProjectDetail> {
  const { data } = ctx;
  const project = await requireProject(data, slug, caller);
  const [decisions, superseded, models, events] = await Promise.all([
    data.currentDecisions(slug, decisionsMax),
    data.supersededDecisions(slug),
    data.models(),
    data.feed(caller.projects, { project: slug, limit: recentEvents }),
  ]);
  const before = new Map(superseded.map(({ by, ...decision }) => [by, toDecision(decision)]));
  const servesProject = (lanes: string[]) =>
    project.lanes.length === 0 || lanes.some((lane) => project.lanes.includes(lane));
  return {
    ...toProject(project),
    check_cmd: project.check_cmd,
    branch_pattern: project.branch_pattern,
    task_url: project.task_url,
    decisions: decisions.map((decision) => ({
      ...toDecision(decision),
      superseded: before.get(decision.id) ?? null,
    })),
    models: models.filter((model) => servesProject(model.lanes)).map((model) => modelOf(model, ctx.now())),
    events: events.map((event) => JSON.parse(event.wire)),
  };
}
