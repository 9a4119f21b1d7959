/** Who can be asked for a review: tokens and roles that may review in the asset's project. */
import type { Caller } from "../../core/auth/caller.ts";
import { allRoles, grants, isRole, roleOf, roles, type Scope } from "../../core/auth/scopes.ts";
import { badRequest } from "../../core/problem.ts";
import type { LibraryContext } from "../context.ts";

const canReview = (scopes: Iterable<Scope>): boolean => grants(new Set(scopes), "assets:review");

/** @throws {Problem} 400 for a name that is neither such a token nor such a role */
export async function requireReviewers(
  { config, data, now }: Pick<LibraryContext, "config" | "data" | "now">,
  names: readonly string[],
  project: string,
): Promise<void> {
  const stored = (await data.tokens()).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? Number.POSITIVE_INFINITY) > now(),
  );
  const known = [...stored, ...config.tokens.values()].filter(
    ({ scopes, projects }) => canReview(scopes) && (projects?.includes(project) ?? true),
  );
  const isReviewer = (name: string): boolean =>
    isRole(name) ? canReview(roles[name].scopes) : known.some((token) => token.name === name);
  const stranger = names.find((name) => !isReviewer(name));
  if (stranger === undefined) return;
  const able = allRoles.filter((role) => canReview(roles[role].scopes));
  throw badRequest(
    `reviewers: "${stranger}" cannot review assets of ${project}. Name a token with assets:review, or a ` +
      `role: ${able.join(", ")}.`,
  );
}

/** The names under which a caller can be asked: its token, the person, and its role. */
export function namesOf({
  name,
  actor,
  ...token
}: Pick<Caller, "name" | "actor" | "role" | "scopes">): string[] {
  const role = token.role ?? roleOf(token.scopes);
  const person = actor?.replace(/^human:/, "");
  return [...new Set([name, person, role].filter((one) => one != null))];
}
