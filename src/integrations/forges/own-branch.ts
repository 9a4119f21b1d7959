/** The branches of workflow runs and pull requests, which GitHub and Gitea tell alike. */
import { type Static, Type } from "@sinclair/typebox";
import { Nullable } from "../../core/wire.ts";
import { ObjectId } from "../incoming-webhooks/mapping.ts";

/** Where the branch is: a fork's, for a pull request from a fork. */
export const HeadRepository = Type.Optional(Nullable(Type.Object({ id: Type.Optional(ObjectId) })));

/** Where the changes of a pull request come from, which GitHub and Gitea tell alike. */
export const PullRequestHead = Type.Optional(
  Nullable(Type.Object({ ref: Type.Optional(Nullable(Type.String())), repo: HeadRepository })),
);

interface WorkflowRun {
  head_branch?: string | null;
  head_repository?: Static<typeof HeadRepository>;
}

/** The branch, if it is one of the repository: anyone can name a branch of a fork. */
export const ownBranch = (run: WorkflowRun, repositoryId: number): string | null =>
  (run.head_repository?.id ?? repositoryId) === repositoryId ? (run.head_branch ?? null) : null;

/** The same of a pull request, whose fork may have been deleted. */
export const branchOfPull = (
  head: Static<typeof PullRequestHead> | undefined,
  repositoryId: number,
): string | null =>
  head?.repo ? ownBranch({ head_branch: head.ref ?? null, head_repository: head.repo }, repositoryId) : null;
