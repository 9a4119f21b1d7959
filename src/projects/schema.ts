/** Linked projects. */
import { type Static, Type } from "@sinclair/typebox";
import { Event } from "../feed/schema.ts";
import { Decision, Model } from "../memory/schema.ts";
import { DateTime, Lane, Limit, Line, Nullable, Prose, Repo, Slug } from "../wire.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Project = Type.Object(
  {
    slug: Slug,
    repo: Repo,
    stack: Nullable(Type.String()),
    summary: Nullable(Type.String()),
    lastActivity: Nullable(DateTime({ description: "When its newest event was appended." })),
    openIssues: Count("Issues opened and not closed since."),
    decisionsCount: Count("Current decisions."),
    digest: Type.Object({
      digested: Count("Events already folded into memory."),
      total: Count("Events of the project."),
    }),
    lanes: Type.Array(Type.String()),
  },
  { $id: "Project" },
);
export type Project = Static<typeof Project>;

export const ProjectsQuery = Type.Object({
  limit: Limit(200),
  cursor: Type.Optional(Line(512, { description: "`next_cursor` of the page before." })),
});
export type ProjectsQuery = Static<typeof ProjectsQuery>;

export const ProjectList = Type.Object(
  {
    projects: Type.Array(Project),
    count: Count("Length of this page."),
    next_cursor: Nullable(Type.String({ description: "Pass it as `cursor` for the next page; null on the last." })),
  },
  { $id: "ProjectList", description: "Linked projects, the most recently active first." },
);
export type ProjectList = Static<typeof ProjectList>;

/** What is no slug is a project that does not exist. */
export const ProjectPath = Type.Object({ slug: Line(255, { description: "Project slug.", examples: ["atlas"] }) });
export type ProjectPath = Static<typeof ProjectPath>;

export const ProjectDetail = Type.Object(
  {
    ...Project.properties,
    check_cmd: Nullable(Type.String({ description: "The command that checks a change." })),
    decisions: Type.Array(Decision, { description: "Current decisions, newest first, at most 200." }),
    models: Type.Array(Model, { description: "Models that share a lane with the project." }),
    events: Type.Array(Event, { description: "The 20 newest events." }),
  },
  { $id: "ProjectDetail" },
);
export type ProjectDetail = Static<typeof ProjectDetail>;

export const UsageQuery = Type.Object({
  ...ProjectPath.properties,
  since: Type.Optional(Type.String({ format: "date", description: "First UTC day, by default 29 days ago.", examples: ["2026-01-02"] })),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const Usage = Type.Object(
  {
    day: Type.String({ format: "date", description: "UTC day." }),
    lane: Nullable(Type.String()),
    model: Nullable(Type.String()),
    runs: Count("Runs that ended."),
    failures: Count("Of these, failed ones."),
    merges: Count("Pull requests merged."),
    tokens_in: Count("Input tokens."),
    tokens_out: Count("Output tokens."),
    cache_read: Count("Tokens read from the provider's cache."),
    cache_write: Count("Tokens written to the provider's cache."),
    cost_equiv: Type.Number({ minimum: 0, description: "Cost in USD at the gateway's list price." }),
  },
  { $id: "Usage", description: "Sums of one project, day, lane and model." },
);
export type Usage = Static<typeof Usage>;

export const UsageList = Type.Object(
  { usage: Type.Array(Usage), count: Count("Number of rows.") },
  { $id: "UsageList", description: "By day, lane and model; a day without any has no row." },
);
export type UsageList = Static<typeof UsageList>;

/** What linking a project takes. */
export const ProjectLink = Type.Object({
  slug: Slug,
  repo: Repo,
  stack: Type.Optional(Nullable(Line(200))),
  summary: Type.Optional(Nullable(Prose(1024))),
  check_cmd: Type.Optional(Nullable(Line(1024))),
  lanes: Type.Optional(Type.Array(Lane, { maxItems: 16 })),
});
export type ProjectLink = Static<typeof ProjectLink>;
