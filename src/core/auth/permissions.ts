/** What a caller may do, compared with an admin and with other callers. */
import type { Caller } from "./caller.ts";
import { grants, roleOf } from "./scopes.ts";

type Permissions = Pick<Caller, "role" | "scopes" | "projects">;

/**
 * Whether a caller is an admin, for example to see the settings: its token was given the role, which it keeps
 * when svc gets a new scope, or every scope there is. It still lacks the scopes that it lacks.
 */
export const isAdmin = ({ role, scopes, projects }: Permissions): boolean =>
  projects === null && (role ?? roleOf(scopes)) === "admin";

/** Whether a caller may do everything that the other one may, in each of its projects. */
export function covers(caller: Permissions, other: Permissions): boolean {
  const hasProjects =
    caller.projects === null || (other.projects?.every((slug) => caller.projects?.includes(slug)) ?? false);
  return hasProjects && [...other.scopes].every((scope) => grants(caller.scopes, scope));
}
