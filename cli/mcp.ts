/** `svc mcp`: the tools over standard input and output, for the agent that started it. */
import { defineCommand } from "citty";
import { adminCaller, type Caller, callerFrom } from "../src/auth/caller.ts";
import { allScopes, isScope, type Scope } from "../src/auth/scopes.ts";
import { serveLines } from "../src/mcp/stdio.ts";
import { Problem } from "../src/problem.ts";
import { dataDirFlag, fail, list, run, say, UsageError } from "./command.ts";
import { followServer } from "./server-url.ts";
import { surviveUnhandledErrors } from "./unhandled-errors.ts";

export default defineCommand({
  args: {
    scopes: { type: "string", description: `Only these scopes, comma-separated: ${allScopes.join(", ")}` },
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const only = args.scopes === undefined ? null : list(args.scopes);
    const unknown = only?.find((scope) => !isScope(scope));
    if (unknown !== undefined)
      throw new UsageError(`--scopes has '${unknown}'; there are ${allScopes.join(", ")}`);
    // Whoever starts us waits for the handshake, which needs no database: a line that is there is answered
    // first.
    const opening = Bun.sleep(0).then(async () =>
      (await import("./open.ts")).openAsConfigured({ SVC_DATA_DIR: args["data-dir"] }),
    );
    opening.then(surviveUnhandledErrors, fail);
    const following = opening.then(followServer);
    following.catch(() => {}); // reported above
    const token = process.env.SVC_TOKEN;
    const who = async (): Promise<Caller> => {
      const updateUrls = await following;
      await updateUrls();
      const caller: Caller = { ...(token ? await callerOf(token) : adminCaller), source: { via: "stdio" } };
      return only ? { ...caller, scopes: caller.scopes.intersection(new Set(only as Scope[])) } : caller;
    };
    async function callerOf(token: string): Promise<Caller> {
      const { config, data, now, audit } = await opening;
      const caller = await callerFrom(`Bearer ${token}`, config, data, now());
      if (caller.isInvalid) throw new Problem(401, "The token of SVC_TOKEN is unknown, revoked or expired.");
      audit.recordTokenUse(caller.hash);
      return caller;
    }
    if (token) await callerOf(token);
    await serveLines(opening, who, { input: Bun.stdin.stream(), write: say });
    await (await opening).close();
    process.exit(0);
  }),
});
