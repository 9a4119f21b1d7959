/** Which appends are optimistic: those that depend on little in the database. */
import type { Appendable } from "../../../src/feed/rows.ts";
import { derivedRunIdPrefix } from "../../../src/feed/runs/rule.ts";
import { pullRequestIssues } from "../../../src/feed/tasks/pull-request-issue.ts";
import type { Session } from "../../engine/session.ts";
import { storedKey } from "../dedupe-keys.ts";
import { knownFacetId } from "../facets.ts";

/** An append that can be optimistic. */
export interface Eligible {
  events: readonly Appendable[];
  /** The facet of each event. */
  facets: number[];
  keys: string[];
  deliveries: string[];
  /** The number of events of each project, and the index of its last one. */
  projects: Map<string, { count: number; last: number }>;
  /** The issue of each pull request. */
  pulls: [project: string, pr: number, issue: number, rank: number][];
  /** The state of each issue that is opened or closed, and the index of its last event. */
  issues: [project: string, number: number, index: number, isOpen: boolean][];
}

/** @returns null if the append needs the lock */
export function eligible(session: Session, events: readonly Appendable[]): Eligible | null {
  if (events.length === 0 || events.some(needsLock)) return null;
  const facets = events.flatMap((event) => knownFacetId(session, event) ?? []);
  const keys = events.flatMap((event) => storedKey(event) ?? []);
  const deliveries = events.flatMap(({ delivery_id }) => delivery_id ?? []);
  const isNew = facets.length < events.length;
  if (isNew || hasRepeated(keys) || hasRepeated(deliveries)) return null;
  const projects: Eligible["projects"] = new Map();
  for (const [index, { project }] of events.entries())
    if (project != null)
      projects.set(project, { count: (projects.get(project)?.count ?? 0) + 1, last: index });
  return { events, facets, keys, deliveries, projects, pulls: pullsOf(events), issues: issuesOf(events) };
}

/** Imports have times of their own, and an id that only the service gives would name one run in two ways. */
const needsLock = ({ ts, run_id }: Appendable): boolean =>
  ts !== undefined || run_id?.startsWith(derivedRunIdPrefix) === true;

const hasRepeated = (values: readonly string[]): boolean => new Set(values).size < values.length;

/** Ranks as if the first event had the time 1: the statement adds the rest. */
const pullsOf = (events: readonly Appendable[]): Eligible["pulls"] =>
  pullRequestIssues(events, (_, index) => index + 1).map(({ project, pr, issue, rank }) => [
    project,
    pr,
    issue,
    rank,
  ]);

function issuesOf(events: readonly Appendable[]): Eligible["issues"] {
  const issues = new Map<string, Eligible["issues"][number]>();
  for (const [index, { project, issue, kind }] of events.entries())
    if (project != null && issue != null && (kind === "issue.opened" || kind === "issue.closed"))
      issues.set(`${project} ${issue}`, [project, issue, index, kind === "issue.opened"]);
  return [...issues.values()];
}
