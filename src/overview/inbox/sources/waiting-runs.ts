/** Runs whose agent asks for permission or input, for the person whose work they are, or for all. */
import { actorLabel } from "../../../core/auth/actor-name.ts";
import { isAllowed } from "../../../core/auth/authorization.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import { runUrl } from "../../../feed/runs/page-url.ts";
import { taskOfRun, taskTitleOf } from "../../../feed/runs/runs.ts";
import { type Candidate, candidatesMax, type Source } from "../candidate.ts";

export const waitingRuns: Source = async ({ data, config }, caller) => {
  if (!isAllowed(caller, "feed:read", config)) return [];
  const { runs } = await data.runs(caller.projects, { status: "waiting", limit: candidatesMax });
  const isOfOther = (person: string | null) =>
    person !== null && caller.person !== undefined && person !== caller.person;
  return runs
    .filter(({ person }) => !isOfOther(person))
    .map((run): Candidate => {
      const { project, pr, actor, branch, summary } = run;
      const at = run.waiting_since ?? run.last_event_at;
      const name = isolateBidi(actorLabel(actor, config));
      return {
        id: `waiting-${at}`,
        reason: "run_waiting",
        title: taskTitleOf(run) || branch || summary,
        detail: `${name} asks for permission or input`,
        path: runUrl(run),
        project,
        ...taskOfRun(run),
        pr,
        at,
      };
    });
};
