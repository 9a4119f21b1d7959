/** `svc open`: prints a one-time sign-in link and opens it in a browser. */
import { defineCommand } from "citty";
import { createSignInLink, linkMinutes } from "../../../src/auth/sign-in-link.ts";
import { isLoopback } from "../../../src/lib/http/loopback.ts";
import { openInBrowser } from "../../browser.ts";
import { actorFrom, CommandError, dataDirFlag, printLine, reportErrors } from "../../command.ts";
import { commandAct, type OpenContext, withAuditedContext } from "../../open.ts";
import { plural } from "../../output/table.ts";

const responseTimeoutMs = 5_000;

export default defineCommand({
  args: {
    print: { type: "boolean", description: "Print the link only; the default over SSH" },
    revoke: {
      type: "boolean",
      description: "Revoke unused links and sign out all sessions opened with one",
    },
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const actor = actorFrom(undefined);
    const act = commandAct(actor, args.revoke ? "open --revoke" : "open");
    const flags = { SVC_DATA_DIR: args["data-dir"] };
    if (args.revoke) return withAuditedContext(act, flags, revokeLinks);
    const link = await withAuditedContext(act, flags, async (ctx) => {
      if (ctx.config.mock)
        throw new CommandError("Demo data (SVC_DATA_MODE=mock) needs no sign-in. Open the website.");
      const link = await createSignInLink(ctx, actor);
      await requireServer(link);
      return link;
    });
    await printLine(link);
    const opened = !args.print && openInBrowser(link);
    process.stderr.write(
      `${opened ? "Opened in your browser. The link" : "The link"} works once, within ${linkMinutes} ` +
        `minutes.\n`,
    );
  }),
});

/**
 * Throws if no server of this database responds: then the link would lead nowhere, or to another deployment.
 * Fetching a link does not use it. A public URL is not checked: this machine may not reach it, or
 * only through a proxy that asks for a sign-in of its own.
 */
async function requireServer(link: string): Promise<void> {
  const { origin, hostname } = new URL(link);
  if (!isLoopback(hostname)) return;
  const response = await fetch(link, { signal: AbortSignal.timeout(responseTimeoutMs) }).catch(() => null);
  if (!response) throw new CommandError(`No server is running at ${origin}. Start it: svc serve`);
  if (!response.ok)
    throw new CommandError(
      `The server at ${origin} uses another database. Choose the data folder of that server with --data-dir.`,
    );
}

async function revokeLinks({ data }: OpenContext): Promise<void> {
  const count = await data.atomically((writes) => writes.removeLinkSessions());
  process.stderr.write(`Revoked unused links. Signed out ${plural(count, "session")} opened with one.\n`);
}
