/** `svc mcp`: the tools over standard input and output, for the agent that started it. */
import { defineCommand } from "citty";
import { type Caller, callerFrom, operator } from "../src/auth/caller.ts";
import { allScopes, isScope, type Scope } from "../src/auth/scopes.ts";
import { serveLines } from "../src/mcp/stdio.ts";
import { Problem } from "../src/problem.ts";
import { dataDirFlag, list, run, say, UsageError } from "./command.ts";
import { open } from "./open.ts";

export default defineCommand({
  args: {
    scopes: { type: "string", description: `Only these scopes, comma-separated: ${allScopes.join(", ")}` },
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const only = args.scopes === undefined ? null : list(args.scopes);
    const unknown = only?.find((scope) => !isScope(scope));
    if (unknown !== undefined) throw new UsageError(`--scopes has '${unknown}'; there are ${allScopes.join(", ")}`);
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const token = process.env.SVC_TOKEN;
    const who = async (): Promise<Caller> => {
      const caller = token ? await callerFrom(`Bearer ${token}`, ctx.config, ctx.data, ctx.now()) : operator;
      if (caller.refused) throw new Problem(401, "The token of SVC_TOKEN is unknown, revoked or expired.");
      return only ? { ...caller, scopes: caller.scopes.intersection(new Set(only as Scope[])) } : caller;
    };
    await who();
    await serveLines(ctx, who, { input: Bun.stdin.stream(), write: say });
    await ctx.close();
    process.exit(0);
  }),
});
