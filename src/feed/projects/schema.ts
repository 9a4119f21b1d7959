/** Schemas of linked projects and their usage. */
import { type Static, Type } from "@sinclair/typebox";
import { ForgeOfProject, RepositoryPlace } from "../../core/forges/schema.ts";
import { Cursor } from "../../core/lib/cursor.ts";
import { branchPatternMax } from "../../core/projects/branch-pattern-length.ts";
import {
  Actor,
  Count,
  DateTime,
  Lane,
  Limit,
  Line,
  NextCursor,
  Nullable,
  ProjectName,
  Prose,
  Repo,
  Slug,
  slugPattern,
} from "../../core/wire.ts";
import { usageFields } from "../usage/schema.ts";
import { TaskUrl } from "./tracker.ts";

export const Project = Type.Object(
  {
    slug: Slug,
    ...RepositoryPlace.properties,
    forge: ForgeOfProject,
    stack: Nullable(Type.String({ examples: ["TypeScript, Bun"] })),
    summary: Nullable(Type.String({ examples: ["Maps of the harbor."] })),
    lastActivity: Nullable(DateTime({ description: "When its newest event was appended." })),
    openIssues: Count("Open issues.", 3),
    decisionsCount: Count("Current decisions.", 7),
    digest: Type.Object({
      digested: Count("Events already summarized into memory.", 1200),
      total: Count("All events of the project.", 1260),
    }),
    lanes: Type.Array(Type.String(), { examples: [["lane_a"]] }),
  },
  { $id: "Project" },
);
export type Project = Static<typeof Project>;

export const ProjectsQuery = Type.Object({
  limit: Limit(200),
  cursor: Type.Optional(Cursor(slugPattern)),
});
export type ProjectsQuery = Static<typeof ProjectsQuery>;

export const ProjectList = Type.Object(
  {
    projects: Type.Array(Project),
    count: Count("Number of projects on this page.", 1),
    next_cursor: NextCursor,
  },
  { $id: "ProjectList", description: "Linked projects, most recently active first." },
);
export type ProjectList = Static<typeof ProjectList>;

export const ProjectPath = Type.Object({ slug: ProjectName });
export type ProjectPath = Static<typeof ProjectPath>;

export const UsageQuery = Type.Object({
  ...ProjectPath.properties,
  since: Type.Optional(
    Type.String({
      format: "date",
      description: "First UTC day. Defaults to 29 days ago.",
      examples: ["2026-01-02"],
    }),
  ),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const Usage = Type.Object(
  {
    day: Type.String({ format: "date", description: "UTC day." }),
    lane: Nullable(Type.String({ examples: ["lane_a"] })),
    model: Nullable(Type.String({ examples: ["claude-sonnet-4-5"] })),
    ...usageFields,
  },
  { $id: "Usage", description: "Totals for one project, day, lane and model." },
);
export type Usage = Static<typeof Usage>;

export const UsageList = Type.Object(
  { usage: Type.Array(Usage), count: Count("Number of rows.", 1) },
  { $id: "UsageList", description: "One row per day, lane and model with activity." },
);
export type UsageList = Static<typeof UsageList>;

/** Input to link a project. */
export const ProjectLink = Type.Object({
  slug: Slug,
  repo: Repo,
  ...Type.Partial(Type.Pick(RepositoryPlace, ["forge", "host"])).properties,
  stack: Type.Optional(Nullable(Line(200))),
  summary: Type.Optional(Nullable(Prose(1024))),
  check_cmd: Type.Optional(Nullable(Line(1024))),
  branch_pattern: Type.Optional(Nullable(Line(branchPatternMax))),
  task_url: Type.Optional(Nullable(TaskUrl)),
  lanes: Type.Optional(Type.Array(Lane, { maxItems: 16 })),
});
export type ProjectLink = Static<typeof ProjectLink>;

export const LinkInput = Type.Object({ ...ProjectLink.properties, by: Type.Optional(Actor) });
export type LinkInput = Static<typeof LinkInput>;

export const LinkedProject = Type.Object(
  {
    slug: Slug,
    ...RepositoryPlace.properties,
    forge: ForgeOfProject,
    linked: Type.Boolean({ description: "False: the project was there, and was changed." }),
  },
  { $id: "LinkedProject" },
);
export type LinkedProject = Static<typeof LinkedProject>;
