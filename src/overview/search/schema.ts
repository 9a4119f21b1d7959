/** Schemas of the search over everything that a caller can read. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Nullable, OpenChoice, Slug, Uri } from "../../core/wire.ts";

/** Groups of results, in the order in which equal ones are shown. */
export const searchGroups = ["tasks", "projects", "assets", "memory", "runs", "events", "docs"] as const;
export type SearchGroupName = (typeof searchGroups)[number];

const resultTypes = [
  "task",
  "run",
  "actor",
  "project",
  "asset",
  "set",
  "decision",
  "review",
  "preference",
  "guidance",
  "event",
  "section",
] as const;
export type ResultType = (typeof resultTypes)[number];

export const SearchQuery = Type.Object({
  query: Type.String({
    pattern: "^[\\s\\S]*$",
    description:
      "Words to find. Matches identifiers and prefixes and tolerates typos. `#12`, `atlas#12`, `run 1588`, " +
      "`decision 27`, a project, an actor, and the id, SHA-256 or public URL of an asset also give a `jump`.",
    examples: ["webhook retries", "#12", "harbor map"],
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      default: 5,
      description: "Maximum number of results per group.",
    }),
  ),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const SearchResult = Type.Object(
  {
    type: OpenChoice(resultTypes, {
      description: "What it is; `section` is a section of the documentation. New types may be added.",
    }),
    id: Type.String({ description: "Id within its type, a slug, or a path.", examples: ["31"] }),
    project: Nullable(Slug),
    title: Type.String({ description: "Name, heading, or else the text." }),
    text: Type.String({ description: "The part of the text that matches best; may be empty." }),
    url: Nullable(Uri({ description: "Page of the website that shows it; null if there is none." })),
    ts: Nullable(DateTime({ description: "When it was written or uploaded." })),
    matched: Type.Array(Type.String(), {
      description: "Matched words, as the title and the text write them.",
    }),
  },
  { $id: "SearchResult" },
);
export type SearchResult = Static<typeof SearchResult>;

export const SearchResults = Type.Object(
  {
    jump: Nullable(SearchResult),
    groups: Type.Array(Type.Object({ name: Choice(searchGroups), results: Type.Array(SearchResult) }), {
      description:
        "The groups that the caller can read and that have results, the best first. Titles count more than " +
        "texts.",
    }),
    count: Type.Integer({ minimum: 0, description: "Number of results, without the jump." }),
  },
  { $id: "SearchResults", description: "Results by group, and what the query names exactly, if anything." },
);
export type SearchResults = Static<typeof SearchResults>;
