/** `svc runs`: lists runs. */

import { type ArgsDef, defineCommand } from "citty";
import { actorForms } from "../../../src/core/auth/actor-name.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { taskNames } from "../../../src/core/task-key.ts";
import { RunsQuery, runSorts, runStatuses } from "../../../src/feed/runs/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine } from "../../command.ts";
import { note } from "../../output/report.ts";
import { fittedTable, formatAge, formatDuration } from "../../output/table.ts";
import { readItems } from "./pages.ts";

const columns = [
  { head: "RUN" },
  { head: "PROJECT", rank: 4 },
  { head: "TASK", rank: 3 },
  { head: "STATUS" },
  { head: "LAST EVENT", rank: 2 },
  { head: "TOOK", rank: 5 },
  { head: "COST", rank: 1 },
  { head: "SUMMARY", rank: 6, flexible: true as const },
];

/** One flag for each filter of the list. */
const filterFlags = {
  project: { type: "string", description: "Only runs of this project" },
  status: { type: "string", description: `Only runs with this status: ${runStatuses.join(", ")}` },
  actor: { type: "string", description: "Only runs of this actor" },
  issue: { type: "string", description: "Only runs for this issue" },
  pr: { type: "string", description: "Only runs for this pull request" },
  task: { type: "string", description: "Only runs for this task of a tracker, such as PROJ-123" },
  lane: { type: "string", description: "Only runs in this lane" },
  model: { type: "string", description: "Only runs with this model" },
  parent: { type: "string", description: "Only runs that this run started" },
  team: { type: "string", description: "Only runs of this team" },
  person: { type: "string", description: "Only runs of this person" },
  sort: { type: "string", description: `Sort the newest 500 by one of: ${runSorts.join(", ")}` },
  limit: { type: "string", description: "Maximum number of runs (default 50)" },
} as const satisfies Record<Exclude<keyof RunsQuery, "cursor">, ArgsDef[string]>;

export default defineCommand({
  args: {
    ...filterFlags,
    ...apiFlags,
  },
  async run({ args }) {
    const { limit = 50, ...query } = checkFlags(RunsQuery, { ...args, actor: undefined });
    const actors = args.actor === undefined ? [undefined] : actorForms(args.actor);
    const filters = actors.map((actor) => ({ ...query, ...checkFlags(RunsQuery, { actor }) }));
    const found = await withApi(args, ({ api }) =>
      readItems(filters, limit, async (query) => {
        const { runs, next_cursor } = await unwrap(api.GET("/runs", { params: { query } }));
        return { items: runs, next_cursor };
      }),
    );
    const sorted = query.sort === undefined || query.sort === "recent";
    const runs = (sorted ? found.toSorted(newestFirst) : found).slice(0, limit);
    if (args.json) await printJsonLines(runs);
    else if (runs.length > 0) await printLine(fittedTable(columns, runs.map(rowOf)));
    if (runs.length === 0) note(args, "No runs.");
  },
});

const newestFirst = (a: Schemas["Run"], b: Schemas["Run"]): number =>
  a.last_event_at < b.last_event_at ? 1 : -1;

const rowOf = (run: Schemas["Run"]): string[] => [
  escapeControls(run.id),
  run.project,
  taskNames(run)[0] ?? "",
  run.status,
  formatAge(Date.now() - Date.parse(run.last_event_at)),
  run.duration_ms === null ? "" : formatDuration(run.duration_ms),
  `$${run.cost_equiv.toFixed(2)}`,
  escapeControls(run.summary),
];
