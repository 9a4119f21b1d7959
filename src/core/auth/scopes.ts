/** Scopes of tokens, with their descriptions. */
export const scopes = {
  "feed:read": "Read the feed, projects, runs, usage, and budgets.",
  "feed:write": "Append events, and send telemetry.",
  "memory:read": "Recall decisions, briefs and guidance.",
  "memory:write": "Record decisions and preferences.",
  "assets:read": "Read the asset library.",
  "assets:write": "Upload, finalize and publish assets.",
  "assets:review": "Approve, reject, annotate, and share assets.",
  "reviews:write": "Set checklists and review policies.",
  "budgets:write": "Set and remove budgets.",
  "telemetry:write": "Send telemetry, and nothing else.",
  "webhooks:write": "Manage webhooks and email digests.",
} as const;

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];
export const isScope = (word: string): word is Scope => Object.hasOwn(scopes, word);

/** Scope → the wider one that grants it too. */
const widerScopes: Partial<Record<Scope, Scope>> = { "telemetry:write": "feed:write" };

/** Whether the scopes grant this one. */
export function grants(scopes: ReadonlySet<Scope>, scope: Scope): boolean {
  const wider = widerScopes[scope];
  return scopes.has(scope) || (wider !== undefined && scopes.has(wider));
}

/** Scopes that `SVC_PUBLIC_READ` grants without a token. */
export const publicScopes: ReadonlySet<Scope> = new Set<Scope>(["feed:read", "memory:read"]);
