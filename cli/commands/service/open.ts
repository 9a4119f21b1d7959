/**
 * `svc open`: prints a one-time sign-in link and opens it in a browser. With `--for`, the link is for the
 * person that has a token, and is only printed.
 */
import { defineCommand } from "citty";
import { createSignInLink, linkMinutes } from "../../../src/core/auth/session/sign-in-link.ts";
import { isTokenName } from "../../../src/core/auth/token.ts";
import { isLoopback } from "../../../src/core/lib/http/hosts.ts";
import { type ApiArgs, remoteFlags, withApi } from "../../api.ts";
import { openInBrowser } from "../../browser.ts";
import { unwrap } from "../../client/client.ts";
import { actorFrom, printLine } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { commandAct, withAuditedContext } from "../../open.ts";
import { plural } from "../../output/table.ts";
import { writeError } from "../../output/terminal.ts";

const responseTimeoutMs = 5_000;

export default defineCommand({
  args: {
    for: {
      type: "string",
      description: "Print a link that signs in with this token instead, to send to the person that has it",
      valueHint: "token name",
    },
    email: {
      type: "string",
      description:
        "With --for: the sign-in page can mail a new link to this address once the session has expired",
      valueHint: "address",
    },
    print: { type: "boolean", description: "Print the link only; the default over SSH" },
    revoke: {
      type: "boolean",
      description: "Revoke unused links and sign out all sessions opened with one",
    },
    ...remoteFlags,
  },
  async run({ args }) {
    if (args.for !== undefined) return printLinkFor(args.for, args);
    if (args.email !== undefined)
      throw new UsageError("--email needs --for: the name of the token that the link signs in with.");
    if (args.revoke) return endLinks(args);
    if (args.server !== undefined)
      throw new UsageError(
        "--server needs --for or --revoke: only the machine that holds the database gives a link for " +
          "an admin.",
      );
    const actor = actorFrom(undefined);
    const act = commandAct(actor, "open");
    const flags = { SVC_DATA_DIR: args["data-dir"] };
    const link = await withAuditedContext(act, flags, async (ctx) => {
      if (ctx.config.mock)
        throw new CommandError("Demo data (SVC_DATA_MODE=mock) needs no sign-in. Open the website.");
      const link = await createSignInLink(ctx, actor);
      await requireServer(link);
      return link;
    });
    await printLine(link);
    const opened = !args.print && openInBrowser(link);
    writeError(
      `${opened ? "Opened in your browser. The link" : "The link"} works once, within ${linkMinutes} ` +
        `minutes.\n`,
    );
  },
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

/** Prints a link that signs in with a token. It is not opened here: that would sign in the wrong person. */
async function printLinkFor(
  name: string,
  args: ApiArgs & { email?: string | undefined; revoke?: boolean | undefined },
): Promise<void> {
  if (args.revoke) throw new UsageError("Use either --for or --revoke, not both.");
  if (!isTokenName(name))
    throw new UsageError("--for takes the name of a token, such as dana. See svc token list.");
  const { url, expires_at } = await withApi(args, async ({ api, isRemote }) => {
    const params = { path: { name } };
    const body = args.email === undefined ? {} : { email: args.email };
    const link = await unwrap(api.POST("/tokens/{name}/sign-in-links", { params, body }));
    if (!isRemote) await requireServer(link.url);
    return link;
  });
  await printLine(url);
  const reach = isLoopback(new URL(url).hostname)
    ? " It only opens on the server's machine: for others, set SVC_SITE_URL there to a URL they can reach."
    : "";
  writeError(
    `Send this link to ${name} only: it signs in the first person who uses it. It works once, until ` +
      `${expires_at.slice(0, 16).replace("T", " ")} UTC.${reach}\n`,
  );
}

const endLinks = (args: ApiArgs): Promise<void> =>
  withApi(args, async ({ api, place }) => {
    const { sessions } = await unwrap(api.POST("/sign-in-links/revoke"));
    writeError(`Revoked unused links ${place}. Signed out ${plural(sessions, "session")} opened with one.\n`);
  });
