import { SearchQuery, SearchResults } from "../../../overview/search/schema.ts";
import { search as searchAll } from "../../../overview/search/search.ts";
import { operation } from "../operation.ts";

export const search = operation({
  id: "search",
  tag: "info",
  summary: "Search everything",
  description:
    "Projects, assets, memory, events, and the documentation in one query, by group. Groups that the token " +
    "has no scope for are left out; without a token, only the documentation and what is public is searched.",
  scope: "public",
  http: { method: "GET", path: "/search" },
  input: SearchQuery,
  output: SearchResults,
  run: searchAll,
});
