/** `svc disconnect`: removes from the settings of agents what `svc connect` wrote. */
import { defineCommand } from "citty";
import { type Agent, agents } from "../../../src/core/agents/agents.ts";
import { applyDisconnect, diffText, isChanged } from "../../agents/connect/changes/apply-changes.ts";
import { planDisconnect, recordsOf } from "../../agents/connect/changes/file-changes.ts";
import type { Scope } from "../../agents/connect/hook-command.ts";
import { removeTokens } from "../../agents/connect/secret-files.ts";
import { readConnections, removeConnection } from "../../agents/connections.ts";
import { printLine } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { confirm } from "../../output/terminal.ts";
import { projectFolderOf } from "../../repository/git.ts";
import { agentArgument, agentOf, forEachAgent, scopeFlag, scopeOf } from "./connect.ts";

interface DisconnectArgs {
  yes?: boolean | undefined;
  "dry-run"?: boolean | undefined;
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

export default defineCommand({
  args: {
    agent: {
      ...agentArgument,
      description: `${agentArgument.description} (default: all that are connected)`,
    },
    scope: scopeFlag,
    "dry-run": { type: "boolean", description: "Show the changes, and write nothing" },
    yes: { type: "boolean", alias: "y", description: "Write without asking" },
    ...outputFlags,
  },
  async run({ args }) {
    const scope = scopeOf(args);
    const folder = scope === "user" ? null : projectFolderOf(process.cwd());
    const isConnected = ({ id }: Agent) =>
      recordsOf({ agent: id, scope, folder }).length > 0 ||
      readConnections().some((one) => one.agent === id && one.folder === folder);
    const chosen = (args.agent === undefined ? Object.values(agents) : [agentOf(args.agent)]).filter(
      isConnected,
    );
    if (chosen.length === 0)
      throw new CommandError(
        args.agent === undefined
          ? "No agent is connected here. See svc connect --list."
          : `${agentOf(args.agent).label} is not connected here. See svc connect --list.`,
      );
    const failures = await forEachAgent(chosen, (agent) => disconnect(agent, scope, folder, args));
    if (failures.length > 0) throw new CommandError(failures.join(" "));
  },
});

async function disconnect(
  agent: Agent,
  scope: Scope,
  folder: string | null,
  args: DisconnectArgs,
): Promise<void> {
  const records = recordsOf({ agent: agent.id, scope, folder });
  const files = records.map(planDisconnect);
  const changed = files.filter(isChanged);
  const isColored = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
  if (!args.json) for (const file of changed) await printLine(`${diffText(file, isColored)}\n`);
  if (args["dry-run"]) return note(args, `${agent.label}: nothing was written.`);
  if (!args.yes && !process.stdin.isTTY)
    throw new UsageError("Add --yes to write these changes, or --dry-run to only see them.");
  if (!args.yes && !(await confirm(`Disconnect ${agent.label} with these changes?`)))
    return note(args, `${agent.label}: nothing was written.`);
  applyDisconnect(files, records);
  const removed = removeConnection(agent.id, folder);
  if (removed) removeTokens(removed);
  await reportChange(
    args,
    { agent: agent.id, scope, files: changed.map(({ path }) => path) },
    `Disconnected ${agent.label}.` +
      (removed ? " Its token stays valid: revoke it with svc token revoke." : ""),
  );
}
