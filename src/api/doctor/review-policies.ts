/** Checks review policies: whether people can fulfill them, and whether agents can. */
import { grants, roleOf, worksAsAgent } from "../../core/auth/scopes.ts";
import type { TokenRow } from "../../core/rows.ts";
import type { Context } from "../context.ts";
import { type Finding, nameSome, ok, warning } from "./finding.ts";

const policiesMax = 1_000;

type Reviewer = Pick<TokenRow, "name" | "projects"> & { role: string | null; isAgent: boolean };

/** Nothing without a policy; else a warning for agents that can review, and one for what never holds. */
export async function checkReviewPolicies(ctx: Pick<Context, "config" | "data" | "now">): Promise<Finding[]> {
  const policies = await ctx.data.reviewPolicies(null, policiesMax);
  if (policies.length === 0) return [];
  const reviewers = await loadReviewers(ctx);
  const agents = reviewers.filter(({ isAgent }) => isAgent).map(({ name }) => name);
  const unfulfilled = policies.flatMap(({ project, kind, need }) =>
    need
      .filter(({ role, count }) => count > countOf(reviewers, role, project))
      .map(({ role, count }) => `${project} ${kind} (${count} ${role})`),
  );
  const findings = [
    agents.length > 0 &&
      warning(
        "review policies",
        `tokens of agents can review: ${nameSome(agents)}. Give agents tokens with the role agent`,
      ),
    unfulfilled.length > 0 &&
      warning(
        "review policies",
        `too few tokens review as: ${nameSome(unfulfilled)}. Create them with svc token create --review-role`,
      ),
  ].filter((finding) => finding !== false);
  return findings.length > 0 ? findings : [ok("review policies", `${policies.length} can be fulfilled`)];
}

/** The valid tokens that can review. */
async function loadReviewers({
  config,
  data,
  now,
}: Pick<Context, "config" | "data" | "now">): Promise<Reviewer[]> {
  const stored = (await data.tokens())
    .filter(
      ({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? Number.POSITIVE_INFINITY) > now(),
    )
    .map(({ name, role, scopes, projects, review_role }) => ({ name, role, scopes, projects, review_role }));
  const configured = config.tokens.values().map(({ name, scopes, projects }) => ({
    name: name ?? "",
    scopes: [...scopes],
    projects: projects && [...projects],
    role: null,
    review_role: null,
    agent_at: null,
  }));
  return [...stored, ...configured]
    .map(({ scopes, ...token }) => ({ ...token, scopes: new Set(scopes) }))
    .filter(({ scopes }) => grants(scopes, "assets:review"))
    .map(({ name, projects, scopes, review_role, ...token }) => {
      const role = token.role ?? roleOf(scopes);
      return {
        name,
        projects,
        role: review_role ?? role,
        isAgent: role !== "admin" && worksAsAgent(scopes),
      };
    });
}

const countOf = (reviewers: readonly Reviewer[], role: string, project: string): number =>
  reviewers.filter((one) => one.role === role && (one.projects?.includes(project) ?? true)).length;
