/**
 * The composition root: from the environment and the flags to what an operation is given. The only caller of
 * db/.
 */
import { fileURLToPath } from "node:url";
import { openData } from "../db/open.ts";
import { type Action, withAuditRow } from "../src/audit/action.ts";
import { openAudit } from "../src/audit/audit.ts";
import { signingSecret } from "../src/auth/secret.ts";
import { type Environment, readConfig } from "../src/config.ts";
import type { Context, Log } from "../src/context.ts";
import { deprecations } from "../src/deprecation.ts";
import { follow } from "../src/feed/follower.ts";
import { openMetrics } from "../src/metrics.ts";
import { openProbe } from "../src/probe/probe.ts";
import { badRequest, Problem } from "../src/problem.ts";
import { isExpected } from "./command.ts";
import { jsonLog } from "./log.ts";
import { atServer } from "./server-url.ts";
import { openStores } from "./stores.ts";

/** Of a command that writes by itself: which, and who called it. */
export const actOfUser = (who: string, what: string, target: string | null = null): Action => ({
  ...{ who, via: "cli", what, project: null, target, address: null, request: null },
});

/** Such a command, from opening to closing. */
export async function actAs<T>(
  act: Action,
  flags: Environment,
  work: (ctx: Opened) => Promise<T>,
): Promise<T> {
  const ctx = await open(flags);
  try {
    return await attempt(ctx, act, () => work(withAuditRow(ctx, act)));
  } finally {
    await ctx.close();
  }
}

/** Names of ours: whatever else was said in the place of one may be a secret. */
const name = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** What comes to nothing has its row as well. */
export async function attempt<T>(
  { audit }: Pick<Opened, "audit">,
  act: Action,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const target = act.target !== null && name.test(act.target) ? act.target : null;
    audit.recordRefusal(
      { ...act, target },
      error instanceof Problem || !isExpected(error) ? error : badRequest(error.message),
    );
    throw error;
  }
}

export interface Opened extends Context {
  close(): Promise<void>;
}

/** This program again, as the child that parses what was uploaded. */
const probeCommand = Bun.isStandaloneExecutable
  ? [process.execPath, "probe"]
  : [process.execPath, fileURLToPath(new URL("./probe.ts", import.meta.url))];

/** Whether the environment leaves the check of certificates on, which is Bun's default. */
export const checksCertificates = (): boolean => process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0";

const onWait = (line: string): void => void process.stderr.write(`svc: ${line}\n`);

/** Flags win over the variable of the same meaning; a flag that was not given is undefined. */
export async function open(flags: Environment = {}, log: Log = jsonLog): Promise<Opened> {
  const opened = await openAsConfigured(flags, log);
  return { ...opened, config: await atServer(opened.data, opened.config) };
}

/** The same without a look at where the server listens. */
export async function openAsConfigured(flags: Environment, log: Log = jsonLog): Promise<Opened> {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const config = readConfig({ ...process.env, ...Object.fromEntries(given) });
  const now = () => Date.now() * 1000;
  const metrics = openMetrics();
  const data = await openData(config.databaseUrl, { now, log, metrics, onWait });
  const follower = follow(data);
  const audit = openAudit({ data, now, log });
  const fill = async () => {
    const { fillDemo } = await import("../db/demo.ts");
    return fillDemo(data, { now: now(), lanes: config.lanes });
  };
  const demo = config.mock ? await fill() : new Map<string, Blob>();
  const secret = config.signingSecret || (await signingSecret(data));
  return {
    ...{ config, data, follower, audit, secret, deprecations, now, log, metrics },
    ...(await openStores({ config, data, metrics, demo })),
    probe: openProbe({ command: probeCommand, log }),
    commandLine: async () => (await import("./reference.ts")).commandReference(),
    async close() {
      follower.close();
      await audit.close();
      await data.close();
    },
  };
}
