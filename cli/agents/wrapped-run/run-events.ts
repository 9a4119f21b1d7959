/** The events of a command that `svc run` wraps. */
import { basename } from "node:path";
import { cleanLine } from "../../../src/core/lib/strings/clean-text.ts";
import type { EventInput } from "../../../src/feed/schema.ts";
import type { CommandEnd } from "./child-command.ts";
import { lastLines } from "./mask-secrets.ts";

const nameBytesMax = 120;
const linesMax = 10;
const linesBytesMax = 800;

/** Programs whose first words name what runs, and hold no secrets. */
const runners = new Set([
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "make",
  "just",
  "cargo",
  "go",
  "mvn",
  "gradle",
  "dotnet",
]);

/**
 * Names a command by its program and, for a runner of tasks, the words after it. Other arguments are never
 * sent: they can be secrets.
 */
export function commandName([program = "", ...words]: readonly string[]): string {
  const name = basename(program);
  const isWord = (word: string) => /^[A-Za-z][\w:.-]{0,40}$/.test(word);
  const end = words.findIndex((word) => !isWord(word));
  const plain = runners.has(name) ? words.slice(0, end < 0 ? 2 : Math.min(2, end)) : [];
  return cleanLine([name, ...plain].join(" "), nameBytesMax);
}

export type RunFields = Pick<EventInput, "actor"> &
  Partial<Pick<EventInput, "project" | "repo" | "issue" | "pr" | "lane" | "url" | "parent_run_id">>;

export const startEvent = (run_id: string, name: string, fields: RunFields, at: Date): EventInput => ({
  kind: "run.started",
  summary: `${name} started`,
  run_id,
  ...fields,
  ts: at.toISOString(),
  dedupe_key: `run:${run_id}:start`,
});

/** The end of the command; a failure with its last lines. Canceling it is no failure. No value of its environment is sent. */
export function endEvent(
  run_id: string,
  name: string,
  fields: RunFields,
  { at, started, end }: { at: Date; started: Date; end: CommandEnd },
): EventInput {
  const isFailure = end.exitCode !== 0 && !end.isCancelled;
  const lines = lastLines(end.errors, end.env, { linesMax, bytesMax: linesBytesMax });
  const failure = end.problem === null ? `failed with exit code ${end.exitCode}` : "could not be started";
  return {
    kind: isFailure ? "run.failed" : "run.finished",
    run_id,
    ...fields,
    summary: isFailure
      ? `${name} ${failure}${lines ? `: ${lines}` : ""}`
      : `${name} ${end.isCancelled ? "cancelled" : "finished"}`,
    duration_ms: Math.max(0, at.getTime() - started.getTime()),
    ts: at.toISOString(),
    dedupe_key: `run:${run_id}:end`,
  };
}
