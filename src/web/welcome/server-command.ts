/** How to run `svc` on the database of this server: in any folder, and as any user of its machine. */
import { hostname, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import type { Context } from "../../api/context.ts";
import type { Config } from "../../core/config.ts";
import { isLoopback } from "../../core/lib/http/loopback.ts";

/** Whether the people who use the website sit at the machine that runs svc. */
export const isLocalSite = ({ siteUrl }: Pick<Config, "siteUrl">): boolean =>
  isLoopback(new URL(siteUrl).hostname);

export interface ServerCommand {
  machine: string;
  user: string;
  /** Defines the shell function `svc`. */
  definition: string;
}

interface Needs {
  config: Config;
  data: Pick<Context["data"], "connection">;
}

/** User IDs below this are of services, whose user is not the one at the terminal. */
const firstPersonId = process.platform === "darwin" ? 500 : 1_000;

export function serverCommand({ config, data }: Needs): ServerCommand {
  const uid = process.getuid?.() ?? firstPersonId;
  const user = userName(uid);
  const isPerson = isLocalSite(config) && (uid === 0 || uid >= firstPersonId);
  const program = Bun.isStandaloneExecutable
    ? quoted(process.execPath)
    : `npx -y bun@${Bun.version} ${quoted(fileURLToPath(new URL("../../../cli/main.ts", import.meta.url)))}`;
  // The URL of Postgres may have a password, so it is not shown.
  const variables = data.connection ? "" : `SVC_DATA_DIR=${quoted(config.dataDir)} `;
  const command = isPerson ? variables + program : `sudo -u ${quoted(user)} env ${variables}${program}`;
  return { machine: hostname(), user, definition: `svc() { ${command} "$@"; }` };
}

/** Without a name, as in some containers, sudo takes the number. */
function userName(uid: number): string {
  try {
    return userInfo().username;
  } catch {
    return `#${uid}`;
  }
}

/** A word of a shell. */
const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
