/** `svc mcp`: the MCP server over standard input and output (stdio transport), started by an agent. */
import { defineCommand } from "citty";
import { serveMcpLines } from "../../../src/api/mcp/stdio/stdio.ts";
import { callerFrom } from "../../../src/core/auth/authentication.ts";
import { adminCaller, type Caller } from "../../../src/core/auth/caller.ts";
import { allScopes, isScope, type Scope } from "../../../src/core/auth/scopes.ts";
import { Problem } from "../../../src/core/problem.ts";
import { dataDirFlag, fail, printLine, reportErrors, splitList, UsageError } from "../../command.ts";
import { surviveUnhandledErrors } from "../../server/http-server.ts";
import { trackServerUrl } from "../../server/server-url.ts";

export default defineCommand({
  args: {
    scopes: {
      type: "string",
      description: `Limit the agent to these scopes, comma-separated: ${allScopes.join(", ")}`,
    },
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const only = args.scopes === undefined ? null : splitList(args.scopes);
    const unknown = only?.find((scope) => !isScope(scope));
    if (unknown !== undefined)
      throw new UsageError(`Unknown scope "${unknown}" in --scopes. Scopes: ${allScopes.join(", ")}.`);
    // The client waits for the handshake, which needs no database: answer it before the database is open.
    const opening = Bun.sleep(0).then(async () =>
      (await import("../../open.ts")).openAsConfigured({ SVC_DATA_DIR: args["data-dir"] }),
    );
    opening.then(surviveUnhandledErrors, fail);
    const following = opening.then(trackServerUrl);
    following.catch(() => {}); // `fail` reports it above
    const token = process.env.SVC_TOKEN;
    const currentCaller = async (): Promise<Caller> => {
      const updateUrls = await following;
      await updateUrls();
      const caller: Caller = { ...(token ? await callerOf(token) : adminCaller), source: { via: "stdio" } };
      return only ? { ...caller, scopes: caller.scopes.intersection(new Set(only as Scope[])) } : caller;
    };
    async function callerOf(token: string): Promise<Caller> {
      const { config, data, now, audit } = await opening;
      const caller = await callerFrom(`Bearer ${token}`, config, data, now());
      if (caller.isInvalid)
        throw new Problem(
          401,
          "The token in SVC_TOKEN is not valid. It may have been revoked or have expired.",
        );
      audit.recordTokenUse(caller.hash);
      return caller;
    }
    if (token) await callerOf(token);
    await serveMcpLines(opening, currentCaller, { input: Bun.stdin.stream(), write: printLine });
    await (await opening).close();
    process.exit(0);
  }),
});
