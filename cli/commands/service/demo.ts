/** `svc demo`: a real service with a month of demo data, in a temporary folder that it deletes. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { defineCommand } from "citty";
import { fillDemo } from "../../../db/demo.ts";
import type { Context } from "../../../src/api/context.ts";
import { roles } from "../../../src/core/auth/scopes.ts";
import { createSignInLink, linkMinutes } from "../../../src/core/auth/session/sign-in-link.ts";
import { variables } from "../../../src/core/config.ts";
import { paths } from "../../../src/core/info.ts";
import { createToken } from "../../../src/feed/tokens.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { makeManifests } from "../../../src/library/assets/bundles/maintenance.ts";
import { actorFrom } from "../../command.ts";
import { type OpenContext, openContext } from "../../open.ts";
import { runServer } from "../../server/http-server.ts";

export default defineCommand({
  args: {
    port: {
      type: "string",
      description: `Port; by default ${variables.SVC_PORT.defaultValue}, or a free one if that is in use`,
    },
  },
  async run({ args }) {
    // A signal while the data is added deletes the folder, too. Later the server stops first.
    for (const signal of signals) process.on(signal, exitNow);
    const folder = createDemoFolder();
    // Nothing of the environment: it may name a real database, a bucket, or a GitHub token.
    const ctx = await openContext({ SVC_DATA_DIR: folder, SVC_PORT: args.port }, { create: true });
    await addDemoData(ctx);
    await runServer(ctx, {
      allowsOtherPort: args.port === undefined,
      async announce(served) {
        for (const signal of signals) process.off(signal, exitNow);
        process.on("SIGHUP", exitNow);
        return startText(served, folder);
      },
    });
    process.exit(0);
  },
});

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const exitNow = (): never => process.exit(0);

async function startText(ctx: OpenContext, folder: string): Promise<string> {
  const { siteUrl } = ctx.config;
  const link = await createSignInLink(ctx, actorFrom(undefined));
  const { token } = await createToken(ctx, {
    name: "demo-agent",
    scopes: [...roles.agent.scopes],
    projects: null,
    expires_at: null,
  });
  return `svc demo is running at ${siteUrl}

Sign in (link works once, within ${linkMinutes} minutes):
  ${link}

What an agent reads before it starts. Reject something on the website, and run it again:
  svc brief harbor "draw the berth map" --data-dir ${folder}

Token for an agent (role agent):
  SVC_TOKEN=${token}

Connect the agent, for example Claude Code:
  claude mcp add --transport http svc-demo \\
    ${siteUrl}${paths.mcp} \\
    --header "Authorization: Bearer $SVC_TOKEN"

Call the API:
  curl -H "Authorization: Bearer $SVC_TOKEN" \\
    ${siteUrl}${paths.api}/projects

Press Ctrl-C to stop. svc then deletes ${folder}.
`;
}

const prefix = "svc-demo-";
/** Names the process that uses a folder. */
const ownerFile = "demo.json";

interface Owner {
  pid: number;
  /** Containers may share a temporary folder, but not their process IDs. */
  hostname: string;
}

/**
 * Creates the folder, readable by this user only. It is deleted when the process exits for any reason but a
 * kill. Synchronous, so that no signal is handled between its creation and that promise.
 */
function createDemoFolder(): string {
  removeAbandonedFolders();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.on("exit", () => removeFolder(folder));
  const owner: Owner = { pid: process.pid, hostname: hostname() };
  writeFileSync(join(folder, ownerFile), JSON.stringify(owner));
  return folder;
}

/** Deletes the folders of this user's demos that were killed, for example by SIGKILL or a power failure. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    if (isAbandoned(folder)) removeFolder(folder);
  }
}

/** False when in doubt: another user's folder, or a process ID that is in use, even by another program. */
function isAbandoned(folder: string): boolean {
  try {
    const info = lstatSync(folder);
    if (!info.isDirectory() || info.uid !== process.getuid?.()) return false;
    const { pid, hostname: host } = JSON.parse(readFileSync(join(folder, ownerFile), "utf8")) as Owner;
    return host === hostname() && !isRunning(pid);
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The process is exiting, or the folder is not ours: there is nothing to report it to.
  }
}

/** Files that are written concurrently; more wait for the same disk. */
const concurrentWrites = 8;
const assetsMax = 1_000;

/** Adds the month of demo data, with its files in the stores, and the manifests that uploads would make. */
async function addDemoData(ctx: Context): Promise<void> {
  const { config, data, now, store, publicStore } = ctx;
  const files = await fillDemo(data, { now: now(), lanes: config.lanes });
  const published = (await data.assets(null, { status: "published", limit: assetsMax })).map(
    ({ key }) => key,
  );
  const writes: [Store | null, string, Blob][] = [
    ...[...files].map(([key, file]): [Store | null, string, Blob] => [store, key, file]),
    ...published.flatMap((key): [Store | null, string, Blob][] => {
      const file = key === null ? undefined : files.get(key);
      return key !== null && file ? [[publicStore, key, file]] : [];
    }),
  ];
  const put = async () => {
    for (let write = writes.pop(); write; write = writes.pop()) {
      const [to, key, file] = write;
      await to?.put(key, file.stream(), { type: file.type, maxBytes: file.size, size: file.size });
    }
  };
  await Promise.all(Array.from({ length: concurrentWrites }, put));
  await makeManifests(ctx, () => true);
}
