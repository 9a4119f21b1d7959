/** The commands of the checklist, with the URL of this deployment and the project filled in. */
import { hostname, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import type { Config } from "../../core/config.ts";
import { secretVariable } from "../../core/forges/schema.ts";
import { isLoopback } from "../../core/lib/http/hosts.ts";
import { webhookPath } from "../../integrations/incoming-webhooks/senders.ts";
import type { Setup } from "../../overview/projects/setup.ts";

export function commandsFor(
  { siteUrl }: Pick<Config, "siteUrl">,
  { project, pendingAsset }: Pick<Setup, "project" | "pendingAsset">,
) {
  const { slug, forge, host, repo } = project;
  const place = forge === "github" ? "" : ` --forge ${forge} --host ${host}`;
  return {
    link: `svc project link ${slug} --repo ${repo}${place}`,
    connect: `svc connect --project ${slug}`,
    createToken: `svc token create laptop --role agent --project ${slug}`,
    connectRemote: `svc login ${siteUrl}
svc connect --project ${slug}`,
    report: `svc event add --project ${slug} --actor agent:codex --run-id run-7 \\
  --kind run.finished --summary "Run 7: 12 files changed"`,
    upload: `echo '<h1>Nine berths</h1>' > berths.html
svc asset push berths.html --project ${slug} --title "Map of the berths"`,
    review: `svc asset review ${pendingAsset} rejected --note "Berth 4 is missing."`,
    brief: `svc brief ${slug} "draw the map of the berths again"`,
    secret: `export ${secretVariable(forge)}=$(openssl rand -hex 32)`,
    webhook: siteUrl + webhookPath(forge),
  };
}

/** Whether the people who use the website sit at the machine that runs svc. */
export const isLocalSite = ({ siteUrl }: Pick<Config, "siteUrl">): boolean =>
  isLoopback(new URL(siteUrl).hostname);

interface ServerCommand {
  machine: string;
  user: string;
  /** Defines the shell function `svc`. */
  definition: string;
}

/** User IDs below this are of services, whose user is not the one at the terminal. */
const firstPersonId = process.platform === "darwin" ? 500 : 1_000;

export function serverCommand(
  config: Config,
  { hasDatabaseServer }: Pick<Setup, "hasDatabaseServer">,
): ServerCommand {
  const uid = process.getuid?.() ?? firstPersonId;
  const user = userName(uid);
  const isPerson = isLocalSite(config) && (uid === 0 || uid >= firstPersonId);
  const program = Bun.isStandaloneExecutable
    ? quoted(process.execPath)
    : `npx -y bun@${Bun.version} ${quoted(fileURLToPath(new URL("../../../cli/main.ts", import.meta.url)))}`;
  // The URL of Postgres may have a password, so it is not shown.
  const variables = hasDatabaseServer ? "" : `SVC_DATA_DIR=${quoted(config.dataDir)} `;
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
