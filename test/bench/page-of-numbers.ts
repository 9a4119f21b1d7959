/** The page of the documentation that says what a run of the bench measured. */
import { availableParallelism, cpus } from "node:os";
import { table } from "../../src/docs/table.ts";
import { heads, type Result, rowOf } from "./measure.ts";

export function pageOfNumbers(sections: { name: string; results: Result[] }[], day: string): string {
  const aims = sections.flatMap(({ results }) => results.filter(({ aim }) => aim !== "none"));
  const missed = aims.filter(({ reached }) => !reached);
  const [processor] = cpus();
  return `${[
    "# Performance",
    "What svc does in a second, each measure beside a plain program that does the least that the job needs, in the same run on the same machine.",
    `Measured on ${day} by \`bun run bench\`, on ${availableParallelism()} cores (${processor?.model.trim() ?? "of a kind unknown"}): one for the server, one for whoever asks. Times of such a machine say little, so what counts is the ratio. Tokens, limits and the log are on. The two programs take turns, round by round, and the number is the middle one of the rounds.`,
    'Where the other side is "scaled", that program was measured once on a machine like this and is taken as so much faster or slower as a plain server of prebuilt bytes is here.',
    `Of ${aims.length} aims ${aims.length - missed.length} are reached.${missed.length > 0 ? " What is not says NO." : ""}`,
    ...sections.flatMap(({ name, results }) => [`## ${titles[name] ?? name}`, table(heads, results.map(rowOf))]),
    "## Measure it yourself",
    "In a clone of the source: `bun run bench`, or `bun run bench feed append` for some of it; `--page` writes this page. What makes the data and the plain programs is in `test/bench`. nginx is used where the machine has it.",
  ].join("\n\n")}\n`;
}

const titles: Record<string, string> = {
  help: "The command line",
  start: "Start",
  idle: "At rest",
  feed: "The feed, of a million events",
  projects: "Projects",
  append: "Appends, each safe from a loss of power",
  tail: "The live tail",
  mcp: "MCP",
  page: "The page of the feed",
  recall: "Recall",
  assets: "The library, of 100,000 assets",
  upload: "A gibibyte on its way in, of two in a row the faster",
  uploads: "Small uploads",
  download: "Bytes on their way out",
  growth: "A log that has grown",
  "growth-postgres": "The same on Postgres",
};
