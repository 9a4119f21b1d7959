/** What each source gives, for the documentation. */
import { sources } from "./map.ts";
import { conventions } from "./sources/conventions.ts";
import type { SourceFacts } from "./sources/source.ts";

/** Senders with an API of their own; see gateways/. */
const gateways: SourceFacts[] = [
  {
    label: "LiteLLM",
    sends: "Rows of the callback `generic_api`",
    tokens: "Input includes the cache: taken out",
    cost: "reported or computed",
    runs: "None",
  },
  {
    label: "Langfuse SDK up to 3 (JavaScript), 2 (Python)",
    sends: "`generation-create` and `generation-update`",
    tokens: "As their parts add up to the total",
    cost: "reported or computed",
    runs: "None",
  },
];

/** One row for each source; frameworks share theirs. */
export const sourceRows: SourceFacts[] = [...Object.values(sources), ...gateways];

export const conventionLabels: string[] = Object.values(conventions).map(({ label }) => label);
