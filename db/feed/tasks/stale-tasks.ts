/**
 * Marks of tasks whose row is to be derived again; see db/overview/tasks/stored-tasks.ts. Triggers mark the
 * other changes. One on events would make SQLite copy every page that an insert changes, which takes longer
 * than the insert (`bun run bench import`).
 */
import type { EventRow } from "../../../src/feed/schema.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";

/** The kinds that tell the state of a pull request. */
export const pullRequestStates: ReadonlySet<EventRow["kind"]> = new Set<EventRow["kind"]>([
  "pr.opened",
  "pr.closed",
  "pr.merged",
]);

type MarkingEvent = Pick<EventRow, "kind" | "project" | "issue" | "pr">;

/** Marks the tasks of the pull requests whose state these events tell. */
export async function markPullRequests(session: Session, events: readonly MarkingEvent[]): Promise<void> {
  const marks = new Map<string, [project: string, issue: number, pr: number]>();
  for (const { kind, project, issue, pr } of events)
    if (project !== null && pr !== null && pullRequestStates.has(kind))
      marks.set(`${project} ${issue} ${pr}`, [project, issue ?? 0, pr]);
  await insertMarks(session)([...marks.values()]);
}

/** Its columns are those of a mark, in order. */
const insertMarks = preparedStatement(({ db, dialect, t: { stale_tasks } }) =>
  dialect.inserter(db, stale_tasks, "on conflict do nothing"),
);
