/** The part of `measurements.md` that a run of the benchmarks writes. */
import { availableParallelism, cpus } from "node:os";
import { table } from "../../src/api/docs/reference.ts";
import { heads, type Result, rowOf } from "./measuring/measure.ts";

const heading = "## Benchmarks";

/**
 * The page with the results of this run. What precedes the heading "Benchmarks" is written by hand and stays.
 * @throws Error if the page has no such heading
 */
export function pageOfNumbers(
  page: string,
  sections: { name: string; results: Result[] }[],
  day: string,
): string {
  const start = page.indexOf(`\n${heading}\n`) + 1;
  if (start === 0) throw new Error(`the page has no heading "${heading}"`);
  const targets = sections.flatMap(({ results }) => results.filter(({ aim }) => aim !== "none"));
  const found = targets.filter(({ reached }) => reached);
  const [processor] = cpus();
  const cores = `${availableParallelism()} cores (${processor?.model.trim() ?? "unknown model"})`;
  return `${page.slice(0, start)}${[
    heading,
    `Measured on ${day} with \`bun run bench\` on ${cores}. Absolute times vary between machines, so compare the ratios. Tokens, rate limits, and logging are on. The two programs take turns, round by round; each number is the median of the rounds.`,
    "Where a cell names CPU time, the ratio is that of CPU: the time of the server and all its descendants for each answer, so less is better, and the speed of the load tool does not count. The load comes from wrk. A rate is shown only where wrk used less than 80% of its core, as it would be the rate of wrk otherwise. Reference programs that write sync the same files as svc; where syncs are counted, strace counted them in a pass of its own. Large uploads start from a synced disk: how long a sync takes differs from minute to minute, so their ratios are the medians of seven rounds.",
    `${found.length} of ${targets.length} targets are met.`,
    ...sections.flatMap(({ name, results }) => [
      `### ${titles[name] ?? name}`,
      table(heads, results.map(rowOf)),
    ]),
    "### Run the benchmarks",
    "In a checkout, run `bun run bench`, or `bun run bench feed append` for some of them. `--page` updates this page. `bun run bench --against main feed append` measures a commit and your tree by turns, run by run, and again where a row seems slower, and fails if a row got slower: if the median of the pairs is over 5%, and five sixths of them are slower at all. The test data and the reference programs are in `test/bench`. They need Linux, wrk, and, for downloads, nginx.",
  ].join("\n\n")}\n`;
}

const titles: Record<string, string> = {
  help: "Command line",
  start: "Start",
  idle: "Memory at rest",
  feed: "Feed with 200,000 events",
  projects: "Projects",
  append: "Durable appends",
  tail: "Live stream",
  telemetry: "Telemetry",
  webhooks: "Webhooks",
  mcp: "MCP",
  page: "Feed page",
  "first-paint": "First paint",
  bytes: "Disk space by mix of events",
  import: "Import of a log",
  views: "Runs, Today, search, and annotations",
  recall: "Recall quality",
  assets: "Library with 100,000 assets",
  upload: "Large uploads",
  uploads: "Small uploads",
  push: "Pushing a folder",
  agents: "Thousands of agents",
  download: "Downloads",
  growth: "A growing log on SQLite",
  "growth-postgres": "A growing log on Postgres",
};
