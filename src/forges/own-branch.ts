/** The branch of a workflow run, which GitHub and Gitea tell alike. */
import { type Static, Type } from "@sinclair/typebox";
import { ObjectId } from "../incoming-webhooks/mapping.ts";
import { Nullable } from "../wire.ts";

/** Where the branch is: a fork's, for a pull request from a fork. */
export const HeadRepository = Type.Optional(Nullable(Type.Object({ id: Type.Optional(ObjectId) })));

interface WorkflowRun {
  head_branch?: string | null;
  head_repository?: Static<typeof HeadRepository>;
}

/** The branch, if it is one of the repository: anyone can name a branch of a fork. */
export const ownBranch = (run: WorkflowRun, repositoryId: number): string | null =>
  (run.head_repository?.id ?? repositoryId) === repositoryId ? (run.head_branch ?? null) : null;
