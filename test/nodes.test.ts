/**
 * Two processes on one Postgres and one bucket: what one gives, the other honours; what one takes back, the
 * other refuses.
 */
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { settingReads } from "../db/core/settings.ts";
import { openPostgres, type PostgresBackend } from "../db/engine/postgres.ts";
import { openData } from "../db/open.ts";
import type { Data } from "../src/api/port.ts";
import type { PresignResponse } from "../src/library/assets/requests.ts";
import type { Asset } from "../src/library/assets/schema.ts";
import {
  event,
  link,
  migratedDatabase,
  must,
  program,
  programToken,
  type Server,
  startServer,
  testClock,
  until,
} from "./support/harness.ts";
import { readFrames } from "./support/http/server-sent-events.ts";
import { openPlace } from "./support/library.ts";
import { startProxy } from "./support/servers/proxy.ts";
import { openSignInForm } from "./support/test-server.ts";

const authorization = { authorization: `Bearer ${programToken}` };
const json = { ...authorization, "content-type": "application/json" };

const open = (url: string) => openData(url, { now: testClock().now, log() {} });
/** The same path at another process. */
const at = ({ origin }: Server, url: string): string => origin + new URL(url).pathname;

describe("two processes on one database and one bucket", () => {
  test.concurrent("take each other's sessions, signed addresses and reservations", async () => {
    await using database = await migratedDatabase("postgres");
    await using place = await openPlace("bucket");
    const data = await open(database.url);
    await link(data, "atlas");
    await data.close();
    await using first = await startServer(database, place.env);
    await using second = await startServer(database, place.env);

    const body = JSON.stringify({
      presign: true,
      project: "atlas",
      filename: "a.txt",
      content_type: "text/plain",
    });
    const reserved = await fetch(`${first.origin}/api/v1/assets`, { method: "POST", headers: json, body });
    const { id, upload_url, headers = {}, finalize_body } = (await reserved.json()) as PresignResponse;
    expect((await fetch(upload_url, { method: "PUT", headers, body: "hello" })).status).toBe(200);
    const finalize = { method: "POST", headers: json, body: JSON.stringify(finalize_body) };
    expect((await fetch(`${second.origin}/api/v1/assets/${id}/finalize`, finalize)).status).toBe(201);
    const asset = (await (
      await fetch(`${second.origin}/api/v1/assets/${id}`, { headers: authorization })
    ).json()) as Asset;
    expect(await (await fetch(at(first, must(asset.url)))).text()).toBe("hello");

    const { cookie: formCookie, csrf } = await openSignInForm(first.origin);
    const form = new URLSearchParams({ token: programToken, csrf });
    const signedIn = await fetch(`${second.origin}/sign-in`, {
      ...{ method: "POST", body: form, redirect: "manual" },
      headers: { origin: second.origin, cookie: formCookie },
    });
    const cookie = must(signedIn.headers.get("set-cookie")?.split(";")[0]);
    expect((await fetch(`${first.origin}/web/feed`, { headers: { cookie } })).status).toBe(200);
  });

  test.concurrent("refuse a token revoked by any process at its next request, and end its streams", async () => {
    await using database = await migratedDatabase("postgres");
    const env = { SVC_DATABASE_URL: database.url };
    const token = (await program(["token", "create", "ci", "--scopes", "feed:read"], env)).output.trim();
    const headers = { authorization: `Bearer ${token}` };
    await using first = await startServer(database);
    await using second = await startServer(database);
    const streams = await Promise.all(
      [first, second].map(async ({ origin }) =>
        readFrames(await fetch(`${origin}/api/v1/feed/stream`, { headers })),
      ),
    );
    const statuses = () =>
      Promise.all(
        [first, second].map(async ({ origin }) => (await fetch(`${origin}/api/v1/feed`, { headers })).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    expect((await program(["token", "revoke", "ci"], env)).code).toBe(0);
    expect(await statuses()).toEqual([401, 401]);
    for (const { events } of streams) expect((await events.next()).done).toBe(true);
  });
});

/** @returns whether an append of the writer wakes the listener */
async function wakesOf(writer: Data, listener: PostgresBackend): Promise<() => Promise<boolean>> {
  let wakes = 0;
  await listener.listen(() => wakes++);
  return async () => {
    const before = wakes;
    await writer.atomically((writes) => writes.append([event()])).catch(() => {});
    await Bun.sleep(20);
    return wakes > before;
  };
}

/** A connection is opened, and asks its first question, once two reads meet on another one. */
const silences = { open: null, "open, and one that is being opened,": "pg_is_in_recovery" };

test.concurrent.each(Object.entries(silences))(
  "a process whose connections that are %s fall silent says so within ten seconds, and then has new ones",
  async (_, last) => {
    await using database = await migratedDatabase("postgres");
    await using proxy = await startProxy(new URL(database.url));
    const writer = await open(database.url);
    const silenced = await openPostgres(proxy.url(database.url));
    const isWoken = await wakesOf(writer, silenced);
    const read = () => silenced.outsideTransaction(() => settingReads(silenced.readSession).createdAt());
    if (last === null) await Promise.all(Array.from({ length: 30 }, read));
    const stalled = last === null ? proxy.stall() : proxy.stallAt(last);
    if (last !== null) await Promise.all([read(), read()]);
    await stalled;
    proxy.resume();
    const answers = await Promise.race([Promise.allSettled([read(), read()]), Bun.sleep(10_000)]);
    expect(answers).toMatchObject([{ reason: { code: "ETIMEDOUT" } }, { reason: { code: "ETIMEDOUT" } }]);
    expect(await read()).toBeGreaterThan(0);
    await until(isWoken, "it is woken");
    await writer.close();
    await silenced.close();
  },
);

test.concurrent("processes wake each other, also after their connections broke", async () => {
  await using database = await migratedDatabase("postgres");
  const writer = await open(database.url);
  const listener = await openPostgres(database.url);
  const isWoken = await wakesOf(writer, listener);
  await until(isWoken, "it is woken");
  const admin = new SQL(must(process.env.SVC_TEST_DATABASE_URL), { max: 1 });
  const name = new URL(database.url).pathname.slice(1);
  for (let round = 0; round < 3; round++) {
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await until(
      async () => (await isWoken()) && (await isWoken()) && (await isWoken()),
      "it is woken again and again",
    );
  }
  await admin.close();
  await writer.close();
  await listener.close();
});
