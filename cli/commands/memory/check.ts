/** `svc check`: whether what changed keeps the decisions of the project. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { ellipsize } from "../../../src/core/lib/strings/truncate.ts";
import { ruleText } from "../../../src/memory/checks/rule-text.ts";
import type { CheckInForce } from "../../../src/memory/checks/schema.ts";
import { startSender } from "../../agents/spool/start-sender.ts";
import { apiFlags } from "../../api.ts";
import { parseDiff } from "../../checks/diff.ts";
import { type Changes, gitChanges, readText } from "../../checks/git-changes.ts";
import { judgeFiles, matchingFiles, type Violation } from "../../checks/judge.ts";
import { findProjectChecks } from "../../checks/project-checks.ts";
import { reportStops } from "../../checks/report-stops.ts";
import { actorFrom, byFlag, printLine, textFlag } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { currentRunId } from "../../login/agent-session.ts";
import { note, type OutputArgs } from "../../output/report.ts";
import { plural } from "../../output/table.ts";
import { currentProjectFlag } from "../../repository/current-project.ts";

export default defineCommand({
  args: {
    paths: { type: "positional", required: false, description: "Check these files and folders alone" },
    staged: { type: "boolean", description: "Check what is staged, as before a commit" },
    base: textFlag("Check the changes since this branch or commit, as in CI", "ref"),
    diff: { type: "string", description: "Check a diff, - for standard input", valueHint: "file" },
    fresh: { type: "boolean", description: "Ask the server for the checks first" },
    ...currentProjectFlag,
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    if ([args.staged, args.base, args.diff].filter((flag) => flag !== undefined && flag !== false).length > 1)
      throw new UsageError("Use one of --staged, --base, and --diff.");
    const folder = process.cwd();
    const changes = changesOf(folder, args, args._);
    const { project, checks, to } = await findProjectChecks(args, folder);
    const files = await judgeFiles(checks, changes.files, changes.read);
    const violations = [...files, ...runCommands(args, checks, changes)];
    for (const violation of args.json ? [] : violations) await printLine(lineOf(violation));
    if (args.json) await printLine(JSON.stringify({ project, files: changes.files.length, violations }));
    if (violations.length === 0) {
      const counted = `${plural(changes.files.length, "file")} against ${plural(checks.length, "check")}`;
      if (!args.json) await printLine(`Checked ${counted} of ${escapeControls(project)}: all kept.`);
      return;
    }
    const stops = violations.map(({ check, path, text }) => ({ check, what: `${path} ${text}` }));
    const run_id = currentRunId();
    if (to && reportStops(to, stops, { by: actorFrom(args.by), ...(run_id && { run_id }) })) startSender();
    const broken = new Set(violations.map(({ check }) => check.decision)).size;
    throw new CommandError(
      `${plural(broken, "decision")} of ${project} not kept. Change what is named above.`,
    );
  },
});

function changesOf(
  folder: string,
  {
    staged,
    base,
    diff,
  }: { staged?: boolean | undefined; base?: string | undefined; diff?: string | undefined },
  paths: string[],
): Changes {
  if (diff === undefined)
    return gitChanges(folder, { since: base ?? null, isStaged: staged ?? false, paths });
  let text: string;
  try {
    text = readFileSync(diff === "-" ? 0 : diff, "utf8");
  } catch (error) {
    throw new CommandError(`Cannot read the diff: ${(error as Error).message}`);
  }
  const isAsked = (path: string) =>
    paths.length === 0 || paths.some((one) => path === one || path.startsWith(`${one.replace(/\/+$/, "")}/`));
  const files = parseDiff(text).filter(({ path }) => isAsked(path));
  return { files, root: folder, read: (path) => readText(join(folder, path)) };
}

/** Runs the commands that people saved as checks, if what they are about changed, and says which. */
function runCommands(
  args: OutputArgs,
  checks: readonly CheckInForce[],
  { files, root }: Changes,
): Violation[] {
  if (files.length === 0) return [];
  return checks.flatMap((check): Violation[] => {
    const { kind, run } = check.rule;
    if (kind !== "run" || run === undefined || matchingFiles(check.rule, files).length === 0) return [];
    note(args, `svc: Running "${escapeControls(run)}" for decision ${check.decision}.`);
    // Its output goes to standard error: standard output has the result.
    const shell = process.platform === "win32" ? ["cmd", "/d", "/s", "/c", run] : ["sh", "-c", run];
    const { exitCode } = Bun.spawnSync(shell, { cwd: root, stdin: "ignore", stdout: 2, stderr: "inherit" });
    if (exitCode === 0) return [];
    return [{ check, path: ".", line: null, text: `it ended with ${exitCode ?? "a signal"}` }];
  });
}

const wordsMax = 300;

/** `src/app.css:12: decision 31 (human:mara): No pure red [no "#FF0000"]` */
function lineOf({ check: { decision, text, actor, rule }, path, line }: Violation): string {
  const place = rule.kind === "run" ? "" : `${path}:${line ?? 1}: `;
  const words = ellipsize(text.replace(/\s+/g, " ").trim(), wordsMax);
  return escapeControls(`${place}decision ${decision} (${actor}): ${words} [${ruleText(rule)}]`);
}
