/** The events of a command that `svc run` wraps. */
import { basename } from "node:path";
import { cleanLine } from "../../../src/core/lib/strings/clean-text.ts";
import type { EventInput } from "../../../src/feed/schema.ts";
import type { CommandEnd } from "./child-command.ts";

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
  Partial<Pick<EventInput, "project" | "repo" | "issue" | "task" | "pr" | "lane" | "url" | "parent_run_id">>;

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
  const isFailure = end.exitCode !== 0 && !end.isCanceled;
  const lines = lastLines(end.errors, end.env, { linesMax, bytesMax: linesBytesMax });
  const failure = end.problem === null ? `failed with exit code ${end.exitCode}` : "could not be started";
  return {
    kind: isFailure ? "run.failed" : "run.finished",
    run_id,
    ...fields,
    summary: isFailure
      ? `${name} ${failure}${lines ? `: ${lines}` : ""}`
      : `${name} ${end.isCanceled ? "canceled" : "finished"}`,
    duration_ms: Math.max(0, at.getTime() - started.getTime()),
    ts: at.toISOString(),
    dedupe_key: `run:${run_id}:end`,
  };
}

/** Masks secrets in the last lines of a command before they are sent. */
type Env = Record<string, string | undefined>;

/** Variables whose values are no secrets, and stand in many lines. */
const publicNames =
  /^(PATH|HOME|PWD|OLDPWD|SHELL|TERM|COLORTERM|LANG|LC_\w+|USER|LOGNAME|HOSTNAME|TMPDIR|EDITOR|PAGER|_)$/;

const valueLengthMin = 6;

const mask = "•••";

/** What secrets look like, wherever they come from. */
const forms: [RegExp, string][] = [
  [/(\b\w+:\/\/)[^\s/@]+@/g, `$1${mask}@`],
  [/\b(bearer|basic|token)([ :=]+)\S{6,}/gi, `$1$2${mask}`],
  [/\b([\w-]*(?:passw(?:or)?d|secret|token|api[_-]?key|credential)[\w-]*["']?\s*[:=]\s*)\S+/gi, `$1${mask}`],
  [/\b(?:svc|gh[a-z]|github_pat|glpat|sk|pk|rk|xox[a-z]|npm|hf)[-_][\w-]{10,}/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, mask],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, mask],
];

/**
 * Replaces the values of environment variables and what looks like a secret.
 * @param env the environment of the command
 */
function maskSecrets(text: string, env: Env): string {
  const values = Object.entries(env)
    .flatMap(([name, value]) => (value !== undefined && !publicNames.test(name) ? [value] : []))
    .flatMap((value) => [value, ...value.split("\n")])
    .filter((value) => value.length >= valueLengthMin)
    .toSorted((a, b) => b.length - a.length);
  const withoutValues = values.reduce((masked, value) => masked.replaceAll(value, mask), text);
  return forms.reduce((masked, [form, replacement]) => masked.replace(form, replacement), withoutValues);
}

/** The last lines as one, without secrets and control characters, at most `bytesMax` bytes. */
export function lastLines(text: string, env: Env, { linesMax, bytesMax }: LineLimits): string {
  const lines = maskSecrets(Bun.stripANSI(text), env)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== "")
    .slice(-linesMax);
  // The last line says most: from the first ones it is cut.
  while (lines.length > 1 && Buffer.byteLength(lines.join(separator)) > bytesMax) lines.shift();
  return cleanLine(lines.join(separator), bytesMax);
}

const separator = " / ";

interface LineLimits {
  linesMax: number;
  bytesMax: number;
}
