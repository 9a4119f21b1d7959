/** Review policies: listing and setting them. */

import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { assetKinds } from "../assets/schema.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { ReviewPolicyRow } from "../rows.ts";
import type { PoliciesPath, PolicyInput } from "./requests.ts";
import type { ReviewPolicy, ReviewPolicyList, ReviewPolicySet } from "./schema.ts";

/** The policies of a project. @throws {Problem} 404 for an unknown project */
export async function listReviewPolicies(
  { data }: Pick<LibraryContext, "data">,
  { slug }: PoliciesPath,
  caller: Caller,
): Promise<ReviewPolicyList> {
  await requireProject(data, slug, caller);
  const rows = await data.reviewPolicies([slug], assetKinds.length);
  return { policies: rows.map(toPolicy) };
}

/**
 * Sets who has to approve the assets of a project and kind; no role removes the policy. It applies to the
 * reviews that follow: what is approved already stays approved.
 * @throws {Problem} 404 for an unknown project, 400 for a role that is there twice
 */
export const setReviewPolicy: LibraryRule<PolicyInput, ReviewPolicySet> = async (
  ctx,
  { slug, kind, need, by },
  caller,
) => {
  await requireProject(ctx.data, slug, caller);
  const twice = need.find(({ role }, index) => need.findIndex((one) => one.role === role) < index);
  if (twice) throw badRequest(`need: "${twice.role}" is there twice. Give its count once.`);
  const changed_by = eventActor(actorOf(caller, by));
  return ctx.data.atomically(async (writes) => {
    const before = await writes.reviewPolicy(slug, kind);
    const row = { project: slug, kind, need, changed_by, changed_at: ctx.now() };
    if (JSON.stringify(before?.need ?? []) === JSON.stringify(need))
      return { ...toPolicy(before ?? row), changed: false };
    if (need.length > 0) await writes.saveReviewPolicy(row);
    else await writes.removeReviewPolicy(slug, kind);
    return { ...toPolicy(row), changed: true };
  });
};

const toPolicy = ({ changed_at, ...row }: ReviewPolicyRow): ReviewPolicy => ({
  ...row,
  changed_at: fromMicros(changed_at),
});
