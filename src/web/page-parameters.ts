/** The query parameters of each page. A page names those it does not know. */
import { linkParameter } from "../auth/sign-in-link.ts";
import { assetFilters } from "./assets/asset.tsx";
import { feedParameters } from "./feed/feed.tsx";
import type { PageName } from "./routes.ts";

const parameters: Record<PageName, readonly string[]> = {
  today: [],
  feed: feedParameters,
  feedRows: feedParameters,
  projects: ["cursor"],
  project: ["by"],
  usageCsv: ["since"],
  assets: [...assetFilters, "as", "cursor", "reviewed"],
  asset: [...assetFilters, "with", "mode", "reviewed"],
  methodology: [],
  settings: [],
  search: ["query", "jump"],
  searchResults: ["query", "all"],
  checklist: [],
  welcome: [],
  docs: [],
  design: [],
  signIn: ["next", linkParameter],
};

/** Returns the names of the parameters that the page does not know. */
export const unknownParameters = (name: PageName, { searchParams }: URL): string[] =>
  [...new Set(searchParams.keys())].filter((parameter) => !parameters[name].includes(parameter));
