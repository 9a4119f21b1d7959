/** What others claim that bears on the work of a brief. */
import { activeClaims, toClaim } from "../../feed/claims/claims.ts";
import { isOfFiles, subjectOfTask } from "../../feed/claims/subject.ts";
import { claimLine } from "../../feed/claims/text.ts";
import type { BriefQuery } from "./schema.ts";

const listedMax = 10;

/** Lines of the claims of others on the task, then those on files, newest first. */
export async function othersClaims(
  ctx: Parameters<typeof activeClaims>[0],
  { project, own_run, run_id }: Pick<BriefQuery, "project" | "own_run" | "run_id">,
  task: Pick<BriefQuery, "issue" | "task">,
): Promise<string[]> {
  const own = own_run ?? run_id;
  const subject = subjectOfTask(task);
  const others = (await activeClaims(ctx, project)).filter((row) => own === undefined || row.run_id !== own);
  const ofTask = others.filter((row) => row.subject === subject);
  const ofFiles = others.filter((row) => isOfFiles(row.subject));
  return [...ofTask, ...ofFiles].slice(0, listedMax).map((row) => claimLine(toClaim(row)));
}
