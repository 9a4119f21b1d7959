/** `svc mcp`: the MCP server over standard input and output (stdio transport), started by an agent. */
import { defineCommand } from "citty";
import { answerHandshake } from "../../../src/api/mcp/stdio/handshake.ts";
import { allScopes, isScope, type Scope } from "../../../src/core/auth/scopes.ts";
import { dataDirFlag, printLine, splitList } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";

export default defineCommand({
  args: {
    scopes: {
      type: "string",
      description: `Limit the agent to these scopes, comma-separated: ${allScopes.join(", ")}`,
    },
    ...dataDirFlag,
  },
  async run({ args }) {
    const only = args.scopes === undefined ? null : splitList(args.scopes);
    const unknown = only?.find((scope) => !isScope(scope));
    if (unknown !== undefined)
      throw new UsageError(`Unknown scope "${unknown}" in --scopes. Scopes: ${allScopes.join(", ")}.`);
    // The client waits for the handshake, which needs no database: answer it before anything else is loaded.
    const handshake = await answerHandshake({ input: Bun.stdin.stream(), write: printLine });
    const { serveMcp } = await import("../../server/mcp-server.ts");
    await serveMcp(handshake, { only: only as Scope[] | null, dataDir: args["data-dir"] });
    process.exit(0);
  },
});
