/** Scopes and roles of tokens. A scope is one row: what it allows, and the roles that have it. */
import { listWithOr } from "../lib/strings/word-list.ts";

/** From the one with the fewest permissions to the one with all. */
export const allRoles = ["telemetry", "reader", "reviewer", "ci", "agent", "admin"] as const;
export type Role = (typeof allRoles)[number];

interface ScopeRow {
  description: string;
  /** Roles that have it. `admin` has all. */
  roles: readonly Exclude<Role, "admin">[];
  /** `SVC_PUBLIC_READ` grants it without a token. */
  isPublic?: true;
  /** A wider scope that grants it too. */
  wider?: string;
}

export const scopes = {
  "feed:read": {
    description: "Read the feed, projects, runs, usage, and budgets.",
    roles: ["reader", "reviewer", "ci", "agent"],
    isPublic: true,
  },
  "feed:write": { description: "Append events, and send telemetry.", roles: ["ci", "agent"] },
  "memory:read": {
    description: "Recall decisions, briefs and guidance.",
    roles: ["reader", "reviewer", "agent"],
    isPublic: true,
  },
  "checks:read": {
    description: "Read the checks of decisions, with their words and authors.",
    roles: ["ci"],
    wider: "memory:read",
  },
  "memory:write": { description: "Record decisions and preferences.", roles: ["agent"] },
  "assets:read": {
    description: "Read the asset library.",
    roles: ["reader", "reviewer", "ci", "agent"],
  },
  "assets:write": {
    description: "Upload, finalize and publish assets.",
    roles: ["reviewer", "ci", "agent"],
  },
  "assets:review": { description: "Approve, reject, annotate, and share assets.", roles: ["reviewer"] },
  "reviews:write": { description: "Set checklists and review policies.", roles: [] },
  "budgets:write": { description: "Set and remove budgets.", roles: [] },
  "telemetry:write": {
    description: "Send telemetry, and nothing else.",
    roles: ["telemetry"],
    wider: "feed:write",
  },
  "webhooks:write": { description: "Manage webhooks and email digests.", roles: [] },
} as const satisfies Record<string, ScopeRow>;

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];
export const isScope = (word: string): word is Scope => Object.hasOwn(scopes, word);

const rowOf: Record<Scope, ScopeRow & { wider?: Scope }> = scopes;

/** Whether the scopes grant this one. */
export function grants(given: ReadonlySet<Scope>, scope: Scope): boolean {
  const { wider } = rowOf[scope];
  return given.has(scope) || (wider !== undefined && given.has(wider));
}

/** Scopes that `SVC_PUBLIC_READ` grants without a token. */
export const publicScopes: ReadonlySet<Scope> = new Set(
  allScopes.filter((scope) => rowOf[rowOf[scope].wider ?? scope].isPublic),
);

const scopesOf = (role: Exclude<Role, "admin">): Scope[] =>
  allScopes.filter((scope) => rowOf[scope].roles.includes(role));

interface RoleRow {
  /** For whom, and what it allows. */
  description: string;
  scopes: readonly Scope[];
}

/** Named sets of scopes for new tokens. A token keeps the scopes that its role had when it was created. */
export const roles: Record<Role, RoleRow> = {
  telemetry: {
    description: "Agents and frameworks that only send OpenTelemetry. Such a token can stand in a URL.",
    scopes: scopesOf("telemetry"),
  },
  reader: { description: "People and dashboards that only read.", scopes: scopesOf("reader") },
  reviewer: {
    description: "People who approve, reject, upload, and publish assets.",
    scopes: scopesOf("reviewer"),
  },
  ci: {
    description: "Pipelines that report runs, upload results, and wait for reviews.",
    scopes: scopesOf("ci"),
  },
  agent: {
    description:
      "Agents that read briefs, report runs, record decisions, and upload assets. They cannot review.",
    scopes: scopesOf("agent"),
  },
  admin: { description: "Everything that a token can do.", scopes: allScopes },
};

export const isRole = (word: string): word is Role => Object.hasOwn(roles, word);

/** Every scope that these grant, as a text. */
function grantsOf(scopes: Iterable<Scope>): string {
  const given = new Set(scopes);
  return allScopes.filter((scope) => grants(given, scope)).join();
}

const rolesByGrants = new Map(allRoles.map((role) => [grantsOf(roles[role].scopes), role]));

/** The role that grants exactly what these scopes grant; null for any other set. */
export const roleOf = (scopes: Iterable<Scope>): Role | null => rolesByGrants.get(grantsOf(scopes)) ?? null;

/** The roles that grant a scope, for messages: `the role reviewer or admin`, or `any role except telemetry`. */
export function rolesWith(scope: Scope | "public"): string {
  const isGranted = (role: Role) => scope === "public" || grants(new Set(roles[role].scopes), scope);
  const others = allRoles.filter((role) => !isGranted(role));
  if (others.length < 2) return ["any role", ...others].join(" except ");
  return `the role ${listWithOr(allRoles.filter(isGranted))}`;
}

const agentScopes: readonly Scope[] = ["memory:read", "feed:write"];

/** Whether a token reads briefs and reports runs: the role `agent`, or close to it. */
export const worksAsAgent = (scopes: ReadonlySet<Scope>): boolean =>
  agentScopes.every((scope) => grants(scopes, scope));
