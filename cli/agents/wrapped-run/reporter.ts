/** Where `svc run` reports to: a server by the spool, which works offline, or a database on this machine. */

import { existsSync } from "node:fs";
import { runUrl } from "../../../src/feed/runs/page-url.ts";
import type { EventInput } from "../../../src/feed/schema.ts";
import { type ApiArgs, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { isExpected, UsageError } from "../../command-errors.ts";
import { normalizeUrl, serverTarget } from "../../login/target.ts";
import { listProjects, projectsLinkedTo } from "../../repository/current-project.ts";
import { originOf } from "../../repository/git-place.ts";
import { addToSpool } from "../spool/spool.ts";
import { startSender } from "../spool/start-sender.ts";
import { spoolStatus } from "../spool/status.ts";

/** How long the end of a command waits until it is reported. */
const flushMs = 5_000;
/** With a server that did not answer before. */
const offlineMs = 1_000;

export interface Reporter {
  report(event: EventInput): Promise<void>;
  /** Waits until everything is reported, a bounded time. @returns why it is not; null if it is */
  flush(): Promise<string | null>;
}

/** @param branch that is checked out: the issue is derived from it @throws UsageError for a URL of no server */
export function openReporter(args: ApiArgs, branch: string | null): Reporter {
  const target = serverTarget(args);
  if (!target) return databaseReporter(args);
  if (!/^https?:\/\//.test(target.url) || !URL.canParse(target.url))
    throw new UsageError("--server (SVC_URL) must be an http or https URL.");
  return spoolReporter(normalizeUrl(target.url), branch);
}

function spoolReporter(server: string, branch: string | null): Reporter {
  const paths: string[] = [];
  let problem: string | null = null;
  const isSent = () => !paths.some((path) => existsSync(path));
  return {
    async report(event) {
      try {
        paths.push(addToSpool({ server, connection: null, branch, report: { event } }));
        startSender();
      } catch (error) {
        problem = (error as Error).message;
      }
    },
    async flush() {
      const started = performance.now();
      const isOver = () => performance.now() - started > (errorOf(server) === null ? flushMs : offlineMs);
      while (!isSent() && !isOver()) await Bun.sleep(10);
      const reason = errorOf(server) ?? `${server} has not answered yet.`;
      return problem ?? (isSent() ? null : `${reason} It is kept, and sent later.`);
    },
  };
}

const errorOf = (server: string): string | null =>
  spoolStatus().destinations.find((one) => one.server === server && one.connection === null)?.error ?? null;

function databaseReporter(args: ApiArgs): Reporter {
  let problem: string | null = null;
  return {
    async report(event) {
      const events = [event as Schemas["EventInput"]];
      try {
        await withApi(args, ({ api }) => unwrap(api.POST("/events", { body: { events } })));
      } catch (error) {
        if (event.kind === "run.started" || !isExpected(error)) throw error; // nothing has run yet
        problem = error.message;
      }
    },
    flush: async () => problem,
  };
}

/** How long the command waits for the server before it starts. */
const answerMs = 1_000;

const namedMax = 5;

interface RunProject {
  /** Null: it belongs to none. Undefined: nothing is known, and the server decides when it is reported. */
  project: string | null | undefined;
  /** Why it belongs to none. */
  reason?: string;
}

/** The project that is linked to the Git remote, else the only one that the token can read. */
export const findRunProject = (args: ApiArgs): Promise<RunProject> =>
  Promise.race([find(args).catch(() => unknown), Bun.sleep(answerMs).then(() => unknown)]);

const unknown: RunProject = { project: undefined };

const find = (args: ApiArgs): Promise<RunProject> =>
  withApi(args, async (access) => {
    const projects = await listProjects(access);
    const origin = originOf(process.cwd());
    const linked = origin ? projectsLinkedTo(projects, origin) : [];
    const [only, other] = linked.length > 0 ? linked : projects;
    if (only && !other) return { project: only.slug };
    if (linked.length > 0) return unknown;
    const names = projects.slice(0, namedMax).map(({ slug }) => slug);
    return {
      project: null,
      reason: other
        ? `Choose one with --project: ${names.join(", ")}${projects.length > namedMax ? ", …" : ""}.`
        : "Link one with svc project link.",
    };
  });

/** The URL of the page of the run; null for a database on this machine, which may have no server. */
export function runPageUrl(args: ApiArgs, id: string, project: string): string | null {
  const target = serverTarget(args);
  return target && `${target.url.replace(/\/+$/, "")}${runUrl({ id, project })}`;
}
