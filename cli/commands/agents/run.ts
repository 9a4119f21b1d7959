/** `svc run`: a command as a run; and `svc run show`. */
import { type ArgsDef, defineCommand } from "citty";
import { EventInput } from "../../../src/feed/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { runText } from "../../../src/overview/runs/text.ts";
import { runChild } from "../../agents/wrapped-run/child-command.ts";
import { findRunProject, openReporter, runPageUrl } from "../../agents/wrapped-run/reporter.ts";
import { commandName, endEvent, type RunFields, startEvent } from "../../agents/wrapped-run/run-events.ts";
import { apiFlags, remoteFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { actorFrom, byFlag, checkFlags, printLine, textFlag } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { currentRunId } from "../../login/agent-session.ts";
import { note, outputFlags } from "../../output/report.ts";
import { writeError } from "../../output/terminal.ts";
import { gitPlace } from "../../repository/git-place.ts";

const show = defineCommand({
  meta: { name: "show", description: "Show a run with its events, what it made and what it was told" },
  args: {
    id: { type: "positional", required: true, description: "Run ID" },
    project: { type: "string", description: "Its project, when several have a run of this id" },
    ...apiFlags,
  },
  async run({ args }) {
    const { id, project } = args;
    const run = await withApi(args, ({ api }) =>
      unwrap(api.GET("/runs/{id}", { params: { path: { id }, query: project ? { project } : {} } })),
    );
    // A terminal has no reader to warn, so the text needs no tags.
    await printLine(args.json ? JSON.stringify(run) : runText(run as RunDetail, (_, text) => text));
  },
});

const flags = {
  project: textFlag("Its project; else that of the Git remote, or the only one", "project"),
  issue: { type: "string", description: "Its issue; else that of the Git branch", valueHint: "number" },
  task: textFlag("Its task in a tracker, such as PROJ-123; else that of the Git branch", "key"),
  pr: { type: "string", description: "Its pull request", valueHint: "number" },
  lane: { type: "string", description: "Its lane" },
  name: { type: "string", description: "Name in the feed; else the name of the program" },
  url: { type: "string", description: "Link to details, such as the job of a pipeline" },
  ...byFlag,
  quiet: outputFlags.quiet,
  ...remoteFlags,
} as const satisfies ArgsDef;

export default defineCommand({
  subCommands: { show },
  args: {
    command: {
      type: "positional",
      required: true,
      valueHint: "…",
      description: "The command, after --: svc run -- make test",
    },
    ...flags,
  },
  async run({ args }) {
    const command = args._;
    if (command.length === 0)
      throw new UsageError("Missing command. Write it after --: svc run -- make test");
    const { branch, repo } = gitPlace(process.cwd());
    const given = fieldsOf(args, repo);
    const reporter = openReporter(args, branch);
    const found = given.project ? null : await findRunProject(args);
    if (found?.reason) note(args, `svc: This run belongs to no project. ${found.reason}`);
    const project = given.project ?? found?.project;
    const fields = { ...given, ...(project && { project }) };
    const run_id = `run-${crypto.randomUUID()}`;
    const name = args.name ?? commandName(command);
    const started = new Date();
    await reporter.report(startEvent(run_id, name, fields, started));
    const page = project ? runPageUrl(args, run_id, project) : null;
    if (page) note(args, `svc: Run ${page}`);
    const end = await runChild(command, { SVC_RUN_ID: run_id });
    if (end.problem) writeError(`svc: ${end.problem}\n`);
    await reporter.report(endEvent(run_id, name, fields, { at: new Date(), started, end }));
    const problem = await reporter.flush();
    if (problem) note(args, `svc: The run is not reported yet. ${problem}`);
    process.exit(end.exitCode);
  },
});

type Flags = Partial<Record<keyof typeof flags, unknown>> & { by?: string | undefined };

/** Checks the flags before the command starts, and adds what the environment and Git say. */
function fieldsOf(args: Flags, repo: string | null): RunFields {
  const parent = currentRunId();
  const { project, issue, task, pr, lane, url } = args;
  const given = { project, issue, task, pr, lane, url };
  const checked = checkFlags(EventInput, {
    kind: "run.started",
    summary: args.name ?? "run",
    actor: actorFrom(args.by),
    ...given,
    ...(args.project === undefined && repo !== null && { repo }),
    ...(parent && { "parent-run-id": parent }),
  });
  const { kind: _kind, summary: _summary, ...fields } = checked;
  return fields;
}
