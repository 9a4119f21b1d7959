/**
 * Several processes behind a proxy, while clients work: one is killed now and then, or each is replaced as at
 * a new release. Nothing that was acknowledged is lost, the live feed shows each event once, and clients
 * notice next to nothing.
 */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import {
  expectConsistent,
  migratedDatabase,
  must,
  rowsOf,
  sentKey,
  type TestDatabase,
  testClock,
  until,
} from "../support/harness.ts";
import { hasNginx, startNginx } from "../support/servers/nginx.ts";
import { startBalancer } from "../support/servers/proxy.ts";
import { type Fleet, openFleet, size } from "./fleet.ts";
import { reached, scale, times } from "./promises.ts";
import { feedIds, hashOfAsset, startTraffic, type Traffic } from "./traffic.ts";

const kills = times("nodeKills");
const killEveryMs = scale === "suite" ? 1_000 : 5_000;
const restarts = times("rollingRestarts");
const upgrades = times("rollingUpgrades");
/** Between two of a rolling restart: clients work with all of them for a while. */
const settleMs = scale === "suite" ? 300 : 2_000;

/** Stops the traffic, and looks whether all is there. */
async function requireAll(database: TestDatabase, { origin }: Fleet, traffic: Traffic): Promise<void> {
  await until(() => traffic.keys.length > 50 && traffic.assets.size > 2, "clients to have worked");
  await traffic.stop();
  expect(traffic.failures).toEqual([]);
  const stored = new Set(
    (await rowsOf(database.url, "select dedupe_key from events")).map((row) => sentKey(row.dedupe_key)),
  );
  expect(traffic.keys.filter((key) => !stored.has(key))).toEqual([]);
  const ids = await feedIds(origin);
  expect(await traffic.followed(ids.length)).toEqual(ids);
  for (const [id, sha256] of traffic.assets)
    expect([id, await hashOfAsset(origin, id)]).toEqual([id, sha256]);
  const data = await openData(database.url, { now: testClock().now, log() {} });
  expect(await expectConsistent(data)).toBe(ids.length + 1);
  await data.close();
}

/** As cli/deploy has it; where there is no nginx, a proxy that does what matters of it. */
const nginx = hasNginx ? startNginx : startBalancer;

describe("three processes on Postgres and a bucket", () => {
  test(`behind nginx, of which one is killed, ${kills} times: no client that asks once again fails, and nothing is lost`, async () => {
    await using database = await migratedDatabase("postgres");
    await using fleet = await openFleet(database, nginx);
    const traffic = startTraffic(fleet.origin, 1);
    for (let killed = 0; killed < kills; killed++) {
      await Bun.sleep(killEveryMs);
      // A request may meet one kill: on a slow machine, its second attempt could meet the next.
      await until(() => !traffic.isRetrying(), "retries to end");
      await must(fleet.servers[killed % size]).kill();
      await fleet.start(killed % size);
    }
    await Bun.sleep(killEveryMs / 2);
    await requireAll(database, fleet, traffic);
    reached("nodeKills", kills);
  });

  test(`behind a proxy that asks whether they are ready, each replaced in turn, ${restarts} times: no request fails`, async () => {
    await using database = await migratedDatabase("postgres");
    await using fleet = await openFleet(database, startBalancer);
    const traffic = startTraffic(fleet.origin, 0);
    for (let restarted = 0; restarted < restarts; restarted++) {
      await Bun.sleep(settleMs);
      expect(await must(fleet.servers[restarted % size]).terminate()).toBe(0);
      await fleet.start(restarted % size);
    }
    await requireAll(database, fleet, traffic);
    reached("rollingRestarts", restarts);
  });

  test(`of one version, each replaced in turn by one of the next, which migrates, ${upgrades} times: no request fails, and those of both versions append in one order`, async () => {
    await using database = await migratedDatabase("postgres");
    await using fleet = await openFleet(database, startBalancer);
    const traffic = startTraffic(fleet.origin, 0);
    for (let replaced = 0; replaced < upgrades; replaced++) {
      await Bun.sleep(settleMs);
      expect(await must(fleet.servers[replaced % size]).terminate()).toBe(0);
      await fleet.start(replaced % size, 1 + Math.floor(replaced / size));
    }
    // Deleted, as this process, which is of the former version, looks at the rows next.
    const forget = "delete from schema_migrations where name like '9999%' returning name";
    const migrated = await rowsOf(database.url, forget);
    expect(migrated.length).toBe(Math.ceil(upgrades / size));
    await requireAll(database, fleet, traffic);
    reached("rollingUpgrades", upgrades);
  });
});
