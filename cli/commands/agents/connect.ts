/** `svc connect`: sets up agents, so that their sessions become runs in the feed. */
import { defineCommand } from "citty";
import { type Agent, agents, allAgents, findAgent } from "../../../src/core/agents/agents.ts";
import { type ConnectRequest, connectAgent } from "../../agents/connect/connect-agent.ts";
import {
  connectionColumns,
  connectionRow,
  faultLines,
  listConnections,
  spoolLines,
} from "../../agents/connect/connection-list.ts";
import { installedAgents, type Scope } from "../../agents/connect/hook-command.ts";
import { reportOutcome } from "../../agents/connect/outcome-report.ts";
import { SettingsFileError } from "../../agents/connect/settings/settings-file.ts";
import { chooseProject } from "../../agents/connect/token-choice.ts";
import { lacksRules } from "../../agents/rules/keep-rules.ts";
import { spoolStatus } from "../../agents/spool/status.ts";
import { apiFlags, openApi, openRemote } from "../../api.ts";
import { printJsonLines, printLine } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { serverTarget } from "../../login/target.ts";
import { note } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";
import { projectFolderOf } from "../../repository/git.ts";

interface ConnectArgs {
  agent?: string | undefined;
  project?: string | undefined;
  scope?: string | undefined;
  yes?: boolean | undefined;
  "dry-run"?: boolean | undefined;
  "token-stdin"?: boolean | undefined;
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  server?: string | undefined;
  "data-dir"?: string | undefined;
}

export const agentArgument = {
  type: "positional",
  required: false,
  description: `Agent: ${allAgents.join(", ")}`,
} as const;

export const scopeFlag = {
  type: "string",
  description: "user: all your sessions (default); project: sessions in this repository",
  valueHint: "user|project",
} as const;

export default defineCommand({
  args: {
    agent: agentArgument,
    list: { type: "boolean", description: "List connected agents, and when each last sent something" },
    project: { type: "string", description: "Project (default: the one of this repository)" },
    scope: scopeFlag,
    "dry-run": { type: "boolean", description: "Show the changes, and write nothing" },
    yes: { type: "boolean", alias: "y", description: "Write without asking" },
    "token-stdin": {
      type: "boolean",
      description: "Read the token from standard input; on a second line, one for telemetry (Gemini CLI)",
    },
    ...apiFlags,
  },
  async run({ args }) {
    if (args.list) return printConnections(args);
    const chosen = requestedAgents(args);
    const request = await requestOf(args);
    const faults: string[] = [];
    const failures = await forEachAgent(chosen, async (agent) => {
      const outcome = await connectAgent(agent, request);
      if (outcome && request.json) await printLine(JSON.stringify(outcome));
      const fault = outcome && reportOutcome(agent, outcome, request);
      if (fault) faults.push(fault);
      if (!outcome) note(args, `${agent.label}: nothing was written.`);
    });
    const { project, projectFolder, dryRun } = request;
    if (failures.length === 0 && !dryRun && lacksRules(projectFolder, project))
      note(args, `To keep its confirmed decisions in AGENTS.md, run svc rules ${project}.`);
    if (faults.length > 0) failures.push(`Connected, but a check failed. ${faults.join(". ")}`);
    if (failures.length > 0) throw new CommandError(failures.join(" "));
    if (!request.dryRun) note(args, "Add the sessions of the past: svc backfill");
  },
});

/**
 * Does work for each agent. A settings file that cannot be read or written ends it for its agent alone.
 * @returns what went wrong, a sentence each
 */
export async function forEachAgent(
  chosen: readonly Agent[],
  work: (agent: Agent) => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const agent of chosen)
    try {
      await work(agent);
    } catch (error) {
      if (!(error instanceof SettingsFileError)) throw error;
      failures.push(chosen.length > 1 ? `${agent.label}: ${error.message}` : error.message);
    }
  return failures;
}

/** @throws UsageError for an unknown name */
export function agentOf(name: string): Agent {
  const agent = findAgent(name);
  if (!agent) throw new UsageError(`Unknown agent "${name}". Agents: ${allAgents.join(", ")}.`);
  return agent;
}

export function scopeOf({ scope = "user" }: { scope?: string | undefined }): Scope {
  if (scope !== "user" && scope !== "project") throw new UsageError("--scope must be user or project.");
  return scope;
}

function requestedAgents(args: ConnectArgs): Agent[] {
  if (args.agent !== undefined) return [agentOf(args.agent)];
  const found = installedAgents();
  if (found.length === 0)
    throw new CommandError(
      `No agent found on this machine. Name one: svc connect ${agents["claude-code"].id}`,
    );
  note(args, `Found ${found.map(({ label }) => label).join(", ")}.`);
  return found;
}

/** Where the agents report to, and with which token. */
async function requestOf(args: ConnectArgs): Promise<ConnectRequest> {
  const scope = scopeOf(args);
  const projectFolder = projectFolderOf(process.cwd());
  const target = serverTarget(args);
  const access = await openApi(args);
  try {
    await requireRunning(access.siteUrl);
    const [givenToken, givenTelemetryToken] = args["token-stdin"] ? await readTokens() : [target?.token];
    // Without a login, the agent's own token reads the projects.
    const isLoggedIn = !target || target.token !== undefined;
    const reader = isLoggedIn ? access : openRemote({ ...target, token: givenToken });
    return {
      scope,
      projectFolder,
      server: access.siteUrl,
      givenToken,
      givenTelemetryToken,
      project: await chooseProject(reader, projectFolder, args.project),
      local: target ? null : { dataDir: args["data-dir"] },
      yes: args.yes ?? false,
      dryRun: args["dry-run"] ?? false,
      json: args.json,
      quiet: args.quiet,
    };
  } finally {
    await access.close();
  }
}

async function requireRunning(server: string): Promise<void> {
  const isRunning = await fetch(`${server}/healthz`, { redirect: "manual" }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isRunning)
    throw new CommandError(
      `svc does not answer at ${server}. Start it with svc serve, then connect the agent.`,
    );
}

async function readTokens(): Promise<string[]> {
  const lines = (await Bun.stdin.text()).split("\n").map((line) => line.trim());
  if (!lines[0]) throw new UsageError("No token on standard input.");
  return lines.filter(Boolean);
}

async function printConnections(args: ConnectArgs): Promise<void> {
  const listed = await listConnections();
  const connections = args.agent
    ? listed.filter(({ agent }) => agent === agentOf(args.agent ?? "").id)
    : listed;
  if (args.json) return printJsonLines(connections);
  if (connections.length === 0) return note(args, "No agent is connected. Connect one with svc connect.");
  const rows = connections.map((connection) => connectionRow(connection, Date.now()));
  await printLine(fittedTable(connectionColumns, rows));
  for (const line of [...faultLines(connections), ...spoolLines(spoolStatus())]) note(args, line);
}
