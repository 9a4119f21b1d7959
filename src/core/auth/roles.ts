/**
 * Roles: named sets of scopes for new tokens. A token keeps the scopes that its role had when it was created.
 */
import { allScopes, grants, type Scope } from "./scopes.ts";

interface RoleDefinition {
  /** For whom, and what it allows. */
  description: string;
  scopes: readonly Scope[];
}

const read: readonly Scope[] = ["feed:read", "memory:read", "assets:read"];

/** The roles, from the one with the fewest permissions to the one with all. */
export const roles = {
  telemetry: {
    description: "Agents and frameworks that only send OpenTelemetry. Such a token can stand in a URL.",
    scopes: ["telemetry:write"],
  },
  reader: { description: "People and dashboards that only read.", scopes: read },
  reviewer: {
    description: "People who approve, reject, upload, and publish assets.",
    scopes: [...read, "assets:write", "assets:review"],
  },
  ci: {
    description: "Pipelines that report runs, upload results, and wait for reviews.",
    scopes: ["feed:read", "feed:write", "assets:read", "assets:write"],
  },
  agent: {
    description:
      "Agents that read briefs, report runs, record decisions, and upload assets. They cannot review.",
    scopes: ["feed:read", "feed:write", "memory:read", "memory:write", "assets:read", "assets:write"],
  },
  admin: { description: "Everything that a token can do.", scopes: allScopes },
} as const satisfies Record<string, RoleDefinition>;

export type Role = keyof typeof roles;
export const allRoles = Object.keys(roles) as Role[];
export const isRole = (word: string): word is Role => Object.hasOwn(roles, word);

/** Every scope that these grant. */
const grantedBy = (scopes: ReadonlySet<Scope>): Set<Scope> =>
  new Set(allScopes.filter((scope) => grants(scopes, scope)));

/** The role that grants exactly what these scopes grant; null for any other set. */
export const roleOf = (scopes: Iterable<Scope>): Role | null => {
  const given = grantedBy(new Set(scopes));
  return (
    allRoles.find((role) => grantedBy(new Set(roles[role].scopes)).symmetricDifference(given).size === 0) ??
    null
  );
};

const either = new Intl.ListFormat("en", { type: "disjunction" });

/** The roles that grant a scope, for messages: `the role reviewer or admin`, or `any role except telemetry`. */
export function rolesWith(scope: Scope | "public"): string {
  const isGranted = (role: Role) => scope === "public" || grants(new Set(roles[role].scopes), scope);
  const others = allRoles.filter((role) => !isGranted(role));
  if (others.length < 2) return ["any role", ...others].join(" except ");
  return `the role ${either.format(allRoles.filter(isGranted))}`;
}

const agentScopes: readonly Scope[] = ["memory:read", "feed:write"];

/** Whether a token reads briefs and reports runs: the role `agent`, or close to it. */
export const worksAsAgent = (scopes: ReadonlySet<Scope>): boolean =>
  agentScopes.every((scope) => grants(scopes, scope));
