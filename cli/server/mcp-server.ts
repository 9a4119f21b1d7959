/** Serves MCP on the streams of this process, with the database that the environment and the flags choose. */
import type { Handshake } from "../../src/api/mcp/stdio/handshake.ts";
import { serveMcpLines } from "../../src/api/mcp/stdio/stdio.ts";
import { callerFrom } from "../../src/core/auth/authentication.ts";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import type { Scope } from "../../src/core/auth/scopes.ts";
import { Problem } from "../../src/core/problem.ts";
import { fail } from "../command-errors.ts";
import { trackServerUrl } from "./server-url.ts";
import { surviveUnhandledErrors } from "./unhandled-errors.ts";

interface McpOptions {
  /** The scopes of the agent; null for all that its token has. */
  only: Scope[] | null;
  dataDir: string | undefined;
}

/** Serves until the input ends. */
export async function serveMcp(handshake: Handshake, { only, dataDir }: McpOptions): Promise<void> {
  const opening = import("../open.ts").then((module) => module.openAsConfigured({ SVC_DATA_DIR: dataDir }));
  opening.then(surviveUnhandledErrors, fail);
  const following = opening.then(trackServerUrl);
  following.catch(() => {}); // `fail` reports it above
  const token = process.env.SVC_TOKEN;
  const currentCaller = async (): Promise<Caller> => {
    const updateUrls = await following;
    await updateUrls();
    const caller: Caller = { ...(token ? await callerOf(token) : adminCaller), source: { via: "stdio" } };
    return only ? { ...caller, scopes: caller.scopes.intersection(new Set(only)) } : caller;
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
  await serveMcpLines(opening, currentCaller, handshake);
  await (await opening).close();
}
