/** `svc serve`: migrates, listens, prints the URL, and drains on a signal. */
import { defineCommand } from "citty";
import { firstSignInLink, linkMinutes } from "../../../src/core/auth/session/sign-in-link.ts";
import type { Config } from "../../../src/core/config.ts";
import { isLoopback } from "../../../src/core/lib/http/hosts.ts";
import { withAuditRow } from "../../../src/feed/audit-row.ts";
import { typedCommand } from "../../agents/connect/hook-command.ts";
import { writesToJournal } from "../../browser.ts";
import { actorFrom, dataDirFlag } from "../../command.ts";
import { commandAct, type OpenContext, openAsConfigured } from "../../open.ts";
import { runServer } from "../../server/http-server.ts";
import { announceServer } from "../../server/running-servers.ts";

export default defineCommand({
  args: {
    host: { type: "string", description: "Host to bind (SVC_HOST)" },
    port: { type: "string", description: "Port; 0 for any free port (SVC_PORT)" },
    ...dataDirFlag,
    mock: { type: "boolean", description: "Serve read-only demo data from memory" },
  },
  async run({ args }) {
    const ctx = await openAsConfigured(
      {
        SVC_HOST: args.host,
        SVC_PORT: args.port,
        SVC_DATA_DIR: args["data-dir"],
        SVC_DATA_MODE: args.mock ? "mock" : undefined,
      },
      { create: true },
    );
    let conceal = () => {};
    await runServer(ctx, {
      announce(served) {
        if (!served.config.mock) conceal = announceServer(served.config);
        return startText(served);
      },
    });
    conceal();
    process.exit(0);
  },
});

/** The URL and, until someone has signed in, a sign-in link. */
async function startText(ctx: OpenContext): Promise<string> {
  const { config, log } = ctx;
  const created = ctx.createdFile ? `Created the database ${ctx.createdFile}\n` : "";
  const started = `${created}svc is running at ${config.siteUrl}${config.mock ? " with demo data" : ""}\n`;
  if (config.mock || !isWatched(config)) return started;
  // A full disk must not keep the server from answering reads.
  const actor = actorFrom(undefined);
  const audited = withAuditRow(ctx, commandAct(actor, "serve", "link"));
  const link = await firstSignInLink(audited, actor).catch((error) => {
    log("warn", "cannot create a sign-in link", { error: String(error) });
    return null;
  });
  if (link === null) return started;
  return `${started}Sign in (link works once, within ${linkMinutes} minutes):\n${link}\n${firstSteps()}`;
}

/** Before anyone has signed in. */
const firstSteps = () => `Add the past sessions of your agents: ${typedCommand()} backfill\n`;

/**
 * Whether the output is read by the person who started the server, not collected in a log: it is a terminal,
 * or the site is for this machine alone and the output is not the systemd journal.
 */
const isWatched = ({ host, siteUrl }: Pick<Config, "host" | "siteUrl">): boolean =>
  process.stdout.isTTY ||
  (isLoopback(host) && isLoopback(URL.parse(siteUrl)?.hostname ?? "") && !writesToJournal());
