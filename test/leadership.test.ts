/** Work that one process of a deployment does: one at a time, and taken over from a process that is gone or silent. */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { type Leadership, openLeadership } from "../db/leadership.ts";
import { openData } from "../db/open.ts";
import { freshDatabase, must, openTestData, startServer, testClock, until } from "./harness.ts";
import { startProxy } from "./proxy.ts";

const quick = { beatMs: 50, silenceMs: 1_000 };
const work = "sweep";

const leaders = (candidates: Leadership[]): number[] => candidates.flatMap((one, index) => (one.leads(work) ? [index] : []));

test("of three processes one leads, and another one when it ends", async () => {
  await using database = await freshDatabase("postgres");
  const candidates = Array.from({ length: 3 }, () => openLeadership(database.url, quick));
  const counts = new Set<number>();
  const leading = () => {
    const found = leaders(candidates);
    counts.add(found.length);
    return found[0];
  };
  await until(() => leading() !== undefined, "one leads");
  const first = must(leading());
  await Bun.sleep(4 * quick.beatMs);
  expect(leading()).toBe(first);
  await must(candidates[first]).close();
  await until(() => leading() !== undefined, "another one leads");
  expect(leading()).not.toBe(first);
  expect(Math.max(...counts)).toBe(1);
  for (const one of candidates) await one.close();
});

test("one leads again when Postgres drops all their sessions", async () => {
  await using database = await freshDatabase("postgres");
  const candidates = [openLeadership(database.url, quick), openLeadership(database.url, quick)];
  const admin = new SQL(must(process.env.SVC_TEST_DATABASE_URL), { max: 1 });
  const name = new URL(database.url).pathname.slice(1);
  const sessions = async (): Promise<number[]> =>
    (await admin`select pid from pg_locks join pg_database on database = oid where locktype = 'advisory' and datname = ${name}`).map(
      (row: { pid: number }) => row.pid,
    );
  for (let round = 0; round < 3; round++) {
    await until(() => leaders(candidates).length === 1, "one leads");
    const before = await sessions();
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await until(async () => {
      const now = await sessions();
      return now.length === 1 && now[0] !== before[0] && leaders(candidates).length === 1;
    }, "one leads on a session that is new");
  }
  await admin.close();
  for (const one of candidates) await one.close();
});

test("a leader whose connection falls silent gives up before another one takes over", async () => {
  await using database = await freshDatabase("postgres");
  await using proxy = await startProxy(new URL(database.url));
  const cut = openLeadership(proxy.url(database.url), quick);
  await until(() => cut.leads(work), "the first one leads");
  const other = openLeadership(database.url, quick);
  other.leads(work);
  proxy.silence();
  let both = false;
  await until(() => {
    both ||= cut.leads(work) && other.leads(work);
    return other.leads(work);
  }, "the other one leads");
  expect([both, cut.leads(work)]).toEqual([false, false]);
  for (const one of [cut, other]) await one.close();
});

test("every process on SQLite may do it, since doing it twice does no harm there", async () => {
  await using house = await openTestData("sqlite");
  const other = await openData(house.url, { now: testClock().now, log() {} });
  expect([house.data.leads(work), other.leads(work)]).toEqual([true, true]);
  await other.close();
});

test("of two servers one sweeps, and the other one when the first is killed", async () => {
  await using database = await freshDatabase("postgres");
  await using first = await startServer(database, { SVC_PUBLIC_READ: "1" });
  const leads = async ({ origin }: { origin: string }) =>
    /svc_worker_leads\{worker="sweep"\} (\d)/.exec(await (await fetch(`${origin}/metrics`)).text())?.[1] === "1";
  await until(() => leads(first), "the first one sweeps");
  await using second = await startServer(database, { SVC_PUBLIC_READ: "1" });
  expect([await leads(first), await leads(second)]).toEqual([true, false]);
  await first.kill();
  await until(() => leads(second), "the second one sweeps");
});
