/**
 * What the hooks of an agent say when it is about to break a decision: a reason to refuse a command, and what
 * to change at the end of a turn. Null lets the agent go on. `svc hook` imports this: only small files.
 */
import { escapeControls } from "../../src/core/lib/strings/display-text.ts";
import { loadPatterns } from "../../src/memory/checks/re2.ts";
import { ruleText } from "../../src/memory/checks/rule-text.ts";
import type { CheckInForce } from "../../src/memory/checks/schema.ts";
import type { Connection } from "../agents/connections.ts";
import { gitHead } from "../repository/git-place.ts";
import { type Changes, gitChanges, isAncestor } from "./git-changes.ts";
import { judgeFiles, mayHave, searchable, type Violation } from "./judge.ts";
import { reportStops, type Stop } from "./report-stops.ts";
import { readChecks } from "./saved-checks.ts";
import { simpleCommands } from "./shell-commands.ts";
import { readTurnState, writeTurnState } from "./turn-state.ts";

export interface StoppedSession {
  connection: Connection;
  /** Who the agent is in the feed. */
  actor: string;
  run_id: string;
  folder: string;
}

const wordsMax = 400;
const namedMax = 10;

/** `decision 12 (human:mara): Releases are made in CI [do not run "npm publish"]` */
function decisionText({ decision, actor, text, rule }: CheckInForce): string {
  const words = text.replace(/\s+/g, " ").trim();
  const short = words.length > wordsMax ? `${words.slice(0, wordsMax)}…` : words;
  return `decision ${decision} (${actor}): ${short} [${ruleText(rule)}]`;
}

/** Why a command is refused. */
export async function refuseCommand(session: StoppedSession, command: string): Promise<string | null> {
  const checks = readChecks(session.connection);
  const check = checks && (await forbiddenCommand(checks, command));
  if (!check) return null;
  report(session, [{ check, what: `${session.run_id} ${command}` }]);
  return `This project has a decision against this command. It is ${decisionText(check)}`;
}

/** What the files that a session changed break, and its agent was not told yet. */
export async function reviewTurn(session: StoppedSession): Promise<string | null> {
  const { connection, run_id, folder } = session;
  const checks = readChecks(connection)?.filter(
    ({ rule: { kind } }) => kind === "forbid" || kind === "require",
  );
  if (!checks?.length) return null;
  const { base, handed } = readTurnState(run_id);
  const changes = changesSince(base, folder);
  if (!changes) return null;
  const found = await judgeFiles(checks, changes.files, changes.read);
  const fresh = found.filter((violation) => !handed.includes(keyOf(violation)));
  if (fresh.length === 0) return null;
  // First, so that a folder that cannot be written hands nothing over twice.
  writeTurnState(run_id, { base, handed: [...handed, ...fresh.map(keyOf)] });
  report(
    session,
    fresh.map(({ check, path, text }) => ({ check, what: `${path} ${text}` })),
  );
  const lines = fresh
    .slice(0, namedMax)
    .map(({ check, path, line }) => `- ${escapeControls(path)}:${line ?? 1}: ${decisionText(check)}`);
  const more = fresh.length > namedMax ? `\n- and ${fresh.length - namedMax} more: run svc check` : "";
  return (
    `Files changed in this session do not keep decisions of the project:\n${lines.join("\n")}${more}\n` +
    "svc says this once for each; svc check shows what is left."
  );
}

const keyOf = ({ check, path, text }: Violation): string =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([check.decision, ruleText(check.rule), path, text]))
    .digest("hex")
    .slice(0, 16);

/** Null outside of a checkout. Commits of the session count, unless another branch was checked out since. */
function changesSince(base: string | null, folder: string): Changes | null {
  const isOlder = base !== null && base !== gitHead(folder);
  try {
    return gitChanges(folder, { since: isOlder && isAncestor(folder, base) ? base : null });
  } catch {
    return null;
  }
}

const report = ({ connection, actor, run_id }: StoppedSession, stops: Stop[]): void => {
  const { server, agent, folder } = connection;
  reportStops({ server, connection: { agent, folder } }, stops, { by: actor, run_id });
};

/** The first check of kind `command` that forbids a command of the line; null if none does. */
export async function forbiddenCommand(
  checks: readonly CheckInForce[],
  line: string,
): Promise<CheckInForce | null> {
  const ofCommands = checks.filter(({ rule }) => rule.kind === "command");
  if (ofCommands.length === 0) return null;
  const commands = simpleCommands(line);
  const byWords = ofCommands.find(
    ({ rule: { text } }) => text !== undefined && commands.some((words) => begins(words, text)),
  );
  if (byWords) return byWords;
  const texts = commands.map((words) => words.join(" "));
  const all = searchable(texts.join("\n"));
  const withPattern = ofCommands.filter(({ rule }) => rule.pattern !== undefined && mayHave(rule, all));
  if (withPattern.length === 0) return null;
  const compile = await loadPatterns();
  return (
    withPattern.find(({ rule: { pattern = "" } }) => {
      try {
        const compiled = compile(pattern);
        return texts.some((text) => compiled.isAtStartOf(text));
      } catch {
        return false; // a pattern that a later version of svc may know
      }
    }) ?? null
  );
}

/**
 * Whether a command begins with the words: `npm publish` is also `npm --silent publish`, and not
 * `npm run publish`. Options among the words have to be there, in any place.
 */
function begins(words: readonly string[], text: string): boolean {
  const [options, plain] = parted(text.trim().split(/\s+/));
  const [given, own] = parted(words);
  return plain.every((word, at) => own[at] === word) && options.every((option) => given.includes(option));
}

function parted(words: readonly string[]): [options: string[], plain: string[]] {
  const isOption = (word: string) => word.startsWith("-");
  return [words.filter(isOption), words.filter((word) => !isOption(word))];
}
