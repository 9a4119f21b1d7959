/** `svc login`: checks a token and saves it, so that commands use the server. */
import { defineCommand } from "citty";
import { openRemote } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { loginPath, readLogins, writeLogins } from "../../login/login-file.ts";
import { normalizeUrl } from "../../login/target.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { writeError } from "../../output/terminal.ts";
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

const ctrlC = 3;
const ctrlD = 4;
const backspaces = [8, 127];
const lineEnds = [10, 13];
const secretBytesMax = 4096;

/**
 * Returns one line without the spaces around it. A terminal shows the prompt on standard error and nothing
 * that is typed.
 */
async function readSecret(prompt: string): Promise<string> {
  const secret = process.stdin.isTTY ? await readHidden(prompt) : await readPiped();
  if (!secret) throw new UsageError("No token. Paste it at the prompt, or pipe it to standard input.");
  return secret;
}

async function readPiped(): Promise<string> {
  const [line = ""] = (await Bun.stdin.text()).trim().split("\n");
  return line.trim();
}

async function readHidden(prompt: string): Promise<string> {
  const { stdin } = process;
  // Before the prompt: a terminal echoes what is typed until then.
  stdin.setRawMode(true);
  writeError(prompt);
  try {
    return await new Promise<string>((resolve) => {
      const typed: number[] = [];
      stdin.on("data", (chunk: Buffer) => {
        for (const byte of chunk) {
          if (byte === ctrlC) {
            stdin.setRawMode(false);
            writeError("\n");
            process.exit(130);
          }
          if (byte === ctrlD || lineEnds.includes(byte)) resolve(Buffer.from(typed).toString().trim());
          else if (backspaces.includes(byte)) typed.pop();
          else if (typed.length < secretBytesMax) typed.push(byte);
        }
      });
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    writeError("\n");
  }
}
