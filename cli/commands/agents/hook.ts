/** `svc hook` in help and completion. The entry point runs it: it must not wait for the other commands. */
import { defineCommand } from "citty";
import { agentHooks } from "../../../src/integrations/agent-hooks/hooked-agents.ts";
import { runHook } from "../../agents/hook.ts";

export default defineCommand({
  args: {
    agent: { type: "positional", required: true, description: Object.keys(agentHooks).join(", ") },
    name: { type: "positional", required: false, description: "Name of the hook, if its JSON has none" },
  },
  run: ({ args }) => runHook(args.agent, args.name),
});
