/** `svc logout`: forgets the token of a server. */
import { defineCommand } from "citty";
import { CommandError } from "../../command-errors.ts";
import { readLogins, writeLogins } from "../../login/login-file.ts";
import { normalizeUrl } from "../../login/target.ts";
import { outputFlags, reportChange } from "../../output/report.ts";

export default defineCommand({
  args: {
    url: { type: "positional", required: false, description: "URL of the server (default: the current one)" },
    ...outputFlags,
  },
  async run({ args }) {
    const { current, servers } = readLogins();
    const server = args.url === undefined ? current : normalizeUrl(args.url);
    if (server === null) throw new CommandError("You are not logged in.");
    if (!servers[server]) throw new CommandError(`You are not logged in to ${server}.`);
    const { [server]: _, ...others } = servers;
    writeLogins({ current: current === server ? null : current, servers: others });
    const line = `Logged out of ${server}. The token is still valid; revoke it there with svc token revoke.`;
    await reportChange(args, { server }, line);
  },
});
