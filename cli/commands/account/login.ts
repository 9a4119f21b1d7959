/** `svc login`: checks a token and saves it, so that commands use the server. */
import { defineCommand } from "citty";
import { openRemote } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { loginPath, readLogins, writeLogins } from "../../login/login-file.ts";
import { readSecret } from "../../login/secret-prompt.ts";
import { normalizeUrl } from "../../login/target.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { excludeFromCommits, trackedFault } from "../../repository/git-secrets.ts";

export default defineCommand({
  args: {
    url: {
      type: "positional",
      required: true,
      description: "URL of the server; https if it has no scheme",
    },
    ...outputFlags,
  },
  async run({ args }) {
    const server = serverOf(args.url);
    if (isUnencrypted(server)) note(args, `Warning: ${server} is not encrypted; others can read the token.`);
    const fault = trackedFault(loginPath());
    if (fault !== null) throw new CommandError(fault);
    const token = await readSecret(`Token for ${server}: `);
    const { api } = openRemote({ url: server, source: "--server", token, tokenSource: null });
    const info = await unwrap(api.GET("/token"));
    const { servers } = readLogins();
    if (excludeFromCommits(loginPath())) note(args, `Git ignores ${loginPath()} now (.git/info/exclude).`);
    writeLogins({ current: server, servers: { ...servers, [server]: { token } } });
    const line = `Logged in to ${server} with the token "${info.name}" (${info.scopes.join(", ")}).`;
    await reportChange(args, { server, token: info, file: loginPath() }, line);
  },
});

/** The URL of a server; https if it has no scheme. */
function serverOf(text: string): string {
  const url = URL.parse(/^\w+:\/\//.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is not the URL of a server, such as https://svc.example.com.`);
  return normalizeUrl(url.href);
}

const isUnencrypted = (server: string): boolean =>
  /^http:\/\/(?!(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$))/.test(server);
