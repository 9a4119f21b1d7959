/** Actions in the audit log, written in the same transaction as the change. */
import { type Caller, ownActor } from "../auth/caller.ts";
import { PersonId, Slug } from "../wire.ts";
import type { Action } from "./port.ts";

/**
 * The action of a caller. Its address is read from the connection only when it is asked for.
 * @param what name of the tool for MCP, else of the operation
 */
export function actionOf({ source, name, actor }: Caller, what: string): Action {
  const { via = "api", request = null } = source ?? {};
  const isUser = via === "cli" || via === "stdio";
  return {
    who: (isUser && actor) || name,
    via,
    what,
    project: null,
    target: null,
    get address() {
      return source?.address ?? null;
    },
    request,
  };
}

/** An action of the service itself, for example of a background worker. */
export const serviceAction = (
  what: string,
  project: string | null = null,
  target: string | null = null,
): Action => ({
  who: ownActor,
  via: "service",
  what,
  project,
  target,
  address: null,
  request: null,
});

/** What an action was about. */
export type Subject = Partial<Pick<Action, "project" | "target">>;

const slug = new RegExp(Slug.pattern as string);
const personId = new RegExp(PersonId.pattern as string);
const id = /^([0-7][0-9A-HJKMNP-TV-Z]{25}|[1-9]\d{0,15})$/i;

/**
 * The project and target of an action, from its input or result. Input is untrusted, so only well-formed
 * slugs and IDs are used; `token_name` is only in results.
 */
export function subjectOf(value: unknown): Subject {
  if (typeof value !== "object" || value === null) return {};
  const { project, slug: ownSlug, id: target, token_name, person, added } = value as Record<string, unknown>;
  const projects = Array.isArray(added)
    ? [...new Set(added.map((event: { project?: unknown }) => event.project))]
    : [project ?? ownSlug];
  const [first] = projects;
  return {
    ...(projects.length === 1 && typeof first === "string" && slug.test(first) && { project: first }),
    ...((typeof target === "string" || typeof target === "number") &&
      id.test(String(target)) && { target: String(target) }),
    ...(typeof token_name === "string" && { target: token_name }),
    ...(typeof person === "string" && personId.test(person) && { target: person }),
  };
}
