/**
 * The composition root: opens the database, the stores and everything else of the context, as the environment
 * and the flags configure it. Apart from a brief of a local file, nothing else imports `db/`.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { openData } from "../db/open.ts";
import type { Context } from "../src/api/context.ts";
import { openAudit } from "../src/core/audit/audit.ts";
import type { Action } from "../src/core/audit/port.ts";
import { formerSigningSecret, signingSecret } from "../src/core/auth/secret.ts";
import { type Config, type Environment, readConfig } from "../src/core/config.ts";
import type { Log } from "../src/core/context.ts";
import { deprecations } from "../src/core/deprecation.ts";
import { openMetrics } from "../src/core/metrics.ts";
import { badRequest, Problem } from "../src/core/problem.ts";
import { withServerUrls } from "../src/core/server-urls.ts";
import { withAuditRow } from "../src/feed/audit-row.ts";
import { openFeedNotifier } from "../src/feed/feed-notifier.ts";
import { openProbe } from "../src/files/probe/probe.ts";
import { isExpected } from "./command-errors.ts";
import { databaseOfServer, requireNoServer } from "./login/missing-database.ts";
import { databaseFile } from "./login/target.ts";
import { jsonLog } from "./output/log.ts";
import { writeError } from "./output/terminal.ts";
import { openStores } from "./stores.ts";

/** The audit entry of a command that writes: who ran which command, on what. */
export const commandAct = (who: string, what: string, target: string | null = null): Action => ({
  who,
  via: "cli",
  what,
  project: null,
  target,
  address: null,
  request: null,
});

/** Opens the context, runs an audited command, and closes the context. */
export async function withAuditedContext<T>(
  act: Action,
  flags: Environment,
  work: (ctx: OpenContext) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const ctx = await open(flags, options);
  try {
    return await auditFailure(ctx, act, () => work(withAuditRow(ctx, act)));
  } finally {
    await ctx.close();
  }
}

/** A valid name. Anything else may be a secret typed in the wrong place, and is not logged. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Runs `work`, and records it in the audit log if it fails. */
export async function auditFailure<T>(
  { audit }: Pick<OpenContext, "audit">,
  act: Action,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const target = act.target !== null && namePattern.test(act.target) ? act.target : null;
    audit.recordRefusal(
      { ...act, target },
      error instanceof Problem || !isExpected(error) ? error : badRequest(error.message),
    );
    throw error;
  }
}

export interface OpenContext extends Context {
  /** The path of the database file, if opening it created it. */
  createdFile: string | null;
  close(): Promise<void>;
}

/** This program again, as the child process that parses uploads. */
const probeCommand = Bun.isStandaloneExecutable
  ? [process.execPath, "probe"]
  : [process.execPath, fileURLToPath(new URL("./probe.ts", import.meta.url))];

/** True if TLS certificates are verified. NODE_TLS_REJECT_UNAUTHORIZED=0 turns that off. */
export const verifiesCertificates = (): boolean => process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0";

const onWait = (line: string): void => void writeError(`svc: ${line}\n`);

export interface OpenOptions {
  log?: Log;
  /**
   * Create a SQLite database that does not exist, unless a server runs with another one. Without it, a
   * command in another folder uses the database of the server that runs.
   */
  create?: boolean;
  /** What the error suggests, apart from another folder: to create the database, or to use a server. */
  advice?: "create" | "server";
  /** The size of the connection pool to Postgres. */
  connections?: number;
}

/** A command sends one statement after the other: one connection writes, one reads, and one is for the rest. */
const commandConnections = 3;

/**
 * Opens the context of a command, with the URLs of the running server. A flag overrides the variable of the
 * same meaning; undefined is a flag that was not given.
 */
export async function open(flags: Environment = {}, options: OpenOptions = {}): Promise<OpenContext> {
  const opened = await openAsConfigured(flags, { connections: commandConnections, ...options });
  return { ...opened, config: await withServerUrls(opened) };
}

function withFlags(flags: Environment): Environment {
  const overrides = Object.entries(flags).filter(([, value]) => value !== undefined);
  return { ...process.env, ...Object.fromEntries(overrides) };
}

/** What the environment and the flags configure, without opening the database. */
export const configured = (flags: Environment): Config => readConfig(withFlags(flags));

/** Opens the context with the configured URLs, without looking up the running server. */
export const openAsConfigured = (flags: Environment, options: OpenOptions = {}): Promise<OpenContext> =>
  openContext(withFlags(flags), options);

/** Opens the context that exactly these variables configure, whatever the environment of this process. */
export async function openContext(
  env: Environment,
  { log = jsonLog, create = false, advice = "create", ...pool }: OpenOptions = {},
): Promise<OpenContext> {
  let config = readConfig(env);
  const file = databaseFile(config.databaseUrl);
  const isMissing = file !== null && !existsSync(file);
  if (isMissing && create) await requireNoServer(config, env);
  if (isMissing && !create) config = readConfig({ ...env, ...(await databaseOfServer(file, env, advice)) });
  const now = () => Date.now() * 1000;
  const metrics = openMetrics();
  /** A command reads little, so it opens no more connections for that. */
  const readUrl = pool.connections === undefined ? config.databaseReadUrl : "";
  const partitions = config.postgresPartitions;
  const data = await openData(config.databaseUrl, {
    now,
    log,
    metrics,
    onWait,
    readUrl,
    partitions,
    ...pool,
  });
  const feedNotifier = openFeedNotifier(data);
  const audit = openAudit({ data, now, log });
  const loadDemo = async () => {
    const { fillDemo } = await import("../db/demo.ts");
    return fillDemo(data, { now: now(), lanes: config.lanes });
  };
  const demo = config.mock ? await loadDemo() : new Map<string, Blob>();
  const secret = config.signingSecret || (await signingSecret(data));
  return {
    config,
    data,
    feedNotifier,
    audit,
    secret,
    formerSecret: config.signingSecret ? null : await formerSigningSecret(data),
    deprecations,
    now,
    log,
    metrics,
    createdFile: isMissing && create ? resolve(file) : null,
    ...(await openStores({ config, data, metrics, demo })),
    probe: openProbe({ command: probeCommand, log, trustAnchors: config.c2paTrust }),
    docSlots: async () => (await import("./doc-slots.ts")).docSlots(),
    docSections: async (ctx) => (await import("../src/api/docs/section-index.ts")).docSections(ctx),
    async close() {
      feedNotifier.close();
      await audit.close();
      await data.close();
    },
  };
}
