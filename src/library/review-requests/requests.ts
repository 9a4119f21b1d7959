/** Schemas of what callers send about review requests. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Limit, RunId } from "../../core/wire.ts";
import { assetId, By } from "../assets/schema.ts";
import { Due, Question, Reviewers } from "./schema.ts";

export const ReviewRequestInput = Type.Object({
  id: assetId({ description: "Id of a pending asset." }),
  reviewers: Type.Optional(Reviewers),
  due_at: Type.Optional(Due),
  question: Type.Optional(Question),
  run_id: Type.Optional(RunId("Default: your running run.")),
  by: Type.Optional(By("Who asks. Defaults to the token.")),
});
export type ReviewRequestInput = Static<typeof ReviewRequestInput>;

export const ReviewRequestsQuery = Type.Object({
  of: Type.Optional(
    Choice(["me"], { description: "`me`: only those that ask you, your role, or everyone." }),
  ),
  limit: Limit(50),
});
export type ReviewRequestsQuery = Static<typeof ReviewRequestsQuery>;
