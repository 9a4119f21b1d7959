/** `svc acp`: a proxy before an agent of the Agent Client Protocol. */
import { type ArgsDef, defineCommand } from "citty";
import { chosenServer } from "../../agents/acp/destination.ts";
import { runProxy } from "../../agents/acp/proxy.ts";
import { AcpSessions } from "../../agents/acp/sessions.ts";
import { remoteFlags } from "../../api.ts";
import { textFlag } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { writeError } from "../../output/terminal.ts";

const flags = {
  project: textFlag("Its project; else that of svc connect, of the Git remote, or the only one", "project"),
  server: remoteFlags.server,
} as const satisfies ArgsDef;

export default defineCommand({
  args: {
    command: {
      type: "positional",
      required: true,
      valueHint: "…",
      description: "The command of the agent, after --: svc acp -- opencode acp",
    },
    ...flags,
  },
  async run({ args }) {
    const command = args._;
    if (command.length === 0)
      throw new UsageError("Missing command. Write it after --: svc acp -- opencode acp");
    chosenServer(args);
    const { exitCode, problem } = await runProxy(command, new AcpSessions(args, command));
    if (problem) writeError(`svc: ${problem}\n`);
    process.exit(exitCode);
  },
});
