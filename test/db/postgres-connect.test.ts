/** What svc asks of a Postgres and of a pooler in front of it, and what it says when it does not get that. */
import { describe, expect, test } from "bun:test";
import { chmod, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { openLeaderElection } from "../../db/engine/leader-election.ts";
import { openPostgres } from "../../db/engine/postgres.ts";
import { openData } from "../../db/open.ts";
import { allRows } from "../../db/query/statements.ts";
import {
  event,
  freshDatabase,
  migratedDatabase,
  must,
  rowsOf,
  temporaryFolder,
  testClock,
  until,
} from "../support/harness.ts";
import { freePort } from "../support/servers/proxy.ts";

const open = (url: string) => openData(url, { now: testClock().now, log() {} });
const refusalOf = (url: string): Promise<string> =>
  open(url).then(
    () => "opened",
    (error) => String(error),
  );

test("a server that svc cannot use is told in one line, at once, in the server's own words", async () => {
  await using database = await freshDatabase("postgres");
  const at = (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };
  const name = new URL(database.url).pathname.slice(1);
  await rowsOf(
    database.url,
    `create database ${name}_ascii encoding 'SQL_ASCII' template template0
       locale_provider libc lc_collate 'C' lc_ctype 'C'`,
  );
  const refusals = [
    await refusalOf(at((url) => Object.assign(url, { password: "wrong" }))),
    await refusalOf(at((url) => Object.assign(url, { pathname: "/nowhere" }))),
    await refusalOf(at((url) => Object.assign(url, { search: "?target_session_attrs=standby" }))),
    await refusalOf(at((url) => Object.assign(url, { pathname: `/${name}_ascii` }))),
  ];
  await rowsOf(database.url, `alter database ${name} set search_path = ''`);
  refusals.push(await refusalOf(database.url));
  await rowsOf(database.url, `drop database ${name}_ascii`);
  expect(refusals).toEqual([
    expect.stringMatching(
      /^DatabaseError: Cannot connect to .*: password authentication failed for user .*\.$/,
    ),
    expect.stringMatching(/^DatabaseError: Cannot connect to .*: database "nowhere" does not exist\. .*\.$/),
    expect.stringMatching(/^DatabaseError: .* target_session_attrs cannot be standby; use read-write$/),
    expect.stringMatching(
      /^DatabaseError: Cannot use .*: its encoding is SQL_ASCII\. Create it with: .*UTF8.*$/,
    ),
    expect.stringMatching(/^DatabaseError: Cannot use .*: its search_path \(""\) names no schema.*$/),
  ]);
});

test("a URL may name several hosts: the first that takes writes is used", async () => {
  await using database = await freshDatabase("postgres");
  const hosts = `127.0.0.1:1,${new URL(database.url).host}`;
  const data = await open(
    `${database.url.replace(new URL(database.url).host, hosts)}?target_session_attrs=read-write`,
  );
  expect((await data.append([event()])).added).toHaveLength(1);
  expect(await data.feed(null, { limit: 9 })).toHaveLength(1);
  expect(data.connection).toEqual({ tls: "disable", isLocal: true, isPartitioned: false });
  await data.close();
});

test("no startup message names a setting, as poolers refuse that; a connection makes them later", async () => {
  await using database = await migratedDatabase("postgres");
  const named = new Set<string>();
  const sockets: Socket[] = [];
  const target = new URL(database.url);
  const relay = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    sockets.push(
      near.on("error", () => {}),
      far.on("error", () => {}),
    );
    near.once("data", (bytes: Buffer) => {
      // https://www.postgresql.org/docs/current/protocol-message-formats.html: StartupMessage
      const fields = bytes.subarray(8).toString().split("\0");
      for (let at = 0; fields[at]; at += 2) named.add(fields[at] as string);
    });
    near.pipe(far).pipe(near);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => relay.listen(port, "127.0.0.1", resolve));
  const url = database.url.replace(target.host, `127.0.0.1:${port}`);
  const postgres = await openPostgres(url);
  const election = openLeaderElection(url);
  await postgres.listen(() => {});
  await until(() => election.isLeader("sweep"), "it leads");
  const settings = sql`select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock, current_setting('jit') as jit,
    current_setting('max_parallel_workers_per_gather') as workers`;
  const made = { statement: "8s", lock: "6s", jit: "off", workers: "0" };
  const read = await postgres.outsideTransaction(() => allRows(postgres.readSession, settings));
  const written = await postgres.transaction((session) => allRows(session, settings));
  expect([read, written]).toEqual([[made], [made]]);
  expect([...named].filter((name) => !taken.includes(name))).toEqual([]);
  await election.close();
  await postgres.close();
  for (const socket of sockets) socket.destroy();
  relay.close();
});

/** What PgBouncer takes without a setting of its own. */
const taken = ["user", "database", "application_name", "client_encoding", "DateStyle"];

const pgbouncer = Bun.which("pgbouncer");

describe.skipIf(!pgbouncer)("behind PgBouncer", () => {
  async function behind(mode: string, work: (url: string) => Promise<void>): Promise<void> {
    await using folder = await temporaryFolder();
    await using database = await freshDatabase("postgres");
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const own = await freePort();
    const settings = [
      "[databases]",
      `* = host=${hostname} port=${port}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =`,
      `auth_type = plain\nauth_file = ${join(folder.path, "users")}\npool_mode = ${mode}`,
    ];
    await writeFile(join(folder.path, "pgbouncer.ini"), settings.join("\n"));
    await writeFile(join(folder.path, "users"), `"${username}" "${password}"`);
    await chmod(folder.path, 0o755);
    // It refuses to run as root.
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const child = Bun.spawn([must(pgbouncer), join(folder.path, "pgbouncer.ini")], {
      ...account,
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore"],
    });
    try {
      await work(`postgres://${username}:${password}@127.0.0.1:${own}${pathname}`);
    } finally {
      child.kill();
      await child.exited;
    }
  }

  test("in session mode everything works as it comes", () =>
    behind("session", async (url) => {
      const [first, second] = [await open(url), await open(url)];
      const appended = Promise.withResolvers<void>();
      first.onAppend(() => appended.resolve());
      expect((await second.append([event()])).added).toHaveLength(1);
      await appended.promise;
      expect(await first.feed(null, { limit: 9 })).toHaveLength(1);
      await until(() => first.isLeader("sweep"), "it leads");
      await Promise.all([first.close(), second.close()]);
    }));

  test.each(["transaction", "statement"])("in %s mode it is refused at once, by name", (mode) =>
    behind(mode, async (url) => {
      expect(await refusalOf(url)).toMatch(/^DatabaseError: .*PgBouncer.*Set pool_mode = session\.$/);
    }),
  );
});
