/**
 * Sessions of the website: how they end, CSRF protection of the sign-in form, and the limit of failed
 * sign-ins.
 */
import { describe, expect, test } from "bun:test";
import { startWorkers } from "../../../cli/server/workers.ts";
import { openData } from "../../../db/open.ts";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { cookieOf, csrfOf, type Form, loadForm, post } from "../../support/browser/sign-in.ts";
import {
  dialects,
  migratedDatabase,
  must,
  openApp,
  program,
  rowsOf,
  startServer,
  type TestApp,
  until,
} from "../../support/harness.ts";
import { openSession } from "../../support/test-server.ts";

/** Signs in. @returns the session cookie and the CSRF token */
async function signIn(app: TestApp, token: string): Promise<Form> {
  const response = await post(app, "/sign-in", await loadForm(app), { token });
  expect(response.status).toBe(303);
  const cookie = cookieOf(response);
  return { cookie, csrf: csrfOf(await (await app.ask("/methodology", { headers: { cookie } })).text()) };
}

const statuses = async (app: TestApp, { cookie }: Form): Promise<number[]> =>
  Promise.all(["/", "/web/feed"].map(async (path) => (await app.ask(path, { headers: { cookie } })).status));

describe.each(dialects)("a session on %s", (dialect) => {
  test("ends immediately on sign-out, for every copy of its cookie, and leaves other sessions open", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"]);
    const [left, other] = [await signIn(app, token), await signIn(app, token)];
    expect(await statuses(app, left)).toEqual([200, 200]);
    expect((await post(app, "/sign-out", left)).status).toBe(303);
    expect([await statuses(app, left), await statuses(app, other)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    expect((await post(app, "/sign-out", left)).status).toBe(403);
  });

  test("opened with a configuration token ends immediately on sign-out", async () => {
    await using app = await openApp(dialect, { SVC_MEMORY_TOKEN: "shared" });
    const session = await signIn(app, "shared");
    expect(await statuses(app, session)).toEqual([200, 200]);
    await post(app, "/sign-out", session);
    expect(await statuses(app, session)).toEqual([401, 401]);
  });

  test("ends when the same browser signs in again", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"]);
    const first = await signIn(app, token);
    const second = await post(app, "/sign-in", first, { token });
    expect(second.status).toBe(303);
    expect(await statuses(app, first)).toEqual([401, 401]);
    expect(await statuses(app, { cookie: cookieOf(second), csrf: "" })).toEqual([200, 200]);
  });

  test("ends with its token when another process revokes or rotates it, after the grace period of a rotation", async () => {
    await using app = await openApp(dialect);
    const [revoked, rotated] = [
      await app.mint(["feed:read"], { name: "revoked" }),
      await app.mint(["feed:read"], { name: "rotated" }),
    ];
    const sessions = [await signIn(app, revoked), await signIn(app, rotated)];
    const now = app.clock.now();
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    await other.atomically((writes) => writes.revokeToken("revoked", now));
    await other.atomically((writes) =>
      writes.rotateToken("rotated", "another hash", now, now + 60 * secondMicros),
    );
    await other.close();
    const all = () => Promise.all(sessions.map((one) => statuses(app, one)));
    expect(await all()).toEqual([
      [401, 401],
      [200, 200],
    ]);
    app.clock.advance(60 * secondMicros);
    expect(await all()).toEqual([
      [401, 401],
      [401, 401],
    ]);
  });

  test("is stored as a hash only, for twelve hours, and removed by the workers after it expires", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"], { name: "ana" });
    const { cookie } = await signIn(app, token);
    const [row, ...others] = await rowsOf(app.url, "select * from sessions");
    expect(others).toEqual([]);
    expect(JSON.stringify(row)).not.toContain(must(cookie.split("=")[1]));
    expect(JSON.stringify(row)).not.toContain(token);
    expect([row?.actor, Number(row?.expires_at) - Number(row?.opened_at)]).toEqual([
      "human:ana",
      12 * 3_600 * secondMicros,
    ]);
    const count = async () => (await rowsOf(app.url, "select hash from sessions")).length;
    app.clock.advance(12 * 3_600 * secondMicros);
    const young = await signIn(app, token);
    expect(await count()).toBe(2);
    const stop = startWorkers(app.ctx);
    await until(async () => (await count()) === 1, "the expired one is removed");
    await stop();
    expect(await statuses(app, young)).toEqual([200, 200]);
  });

  test("is not in backups and does not survive a restore", async () => {
    await using app = await openApp(dialect);
    const session = await signIn(app, await app.mint(["feed:read"]));
    const { entries } = openBackupContents(app.ctx, { bytes: false });
    const names = (await Array.fromAsync(entries)).map((entry) => entry.name);
    expect(names).toContain("rows/tokens/000001.ndjson");
    expect(names.filter((name) => name.includes("sessions"))).toEqual([]);
    await app.ctx.data.replaceAllRows(async () => {});
    expect(await rowsOf(app.url, "select hash from sessions")).toEqual([]);
    expect((await statuses(app, session))[1]).toBe(401);
  });

  test.each(["of the database", "of the configuration"])(
    "with a token %s closes its live feed when it ends",
    async (kind) => {
      await using app = await openApp(dialect, { SVC_MEMORY_TOKEN: "shared" });
      const token = kind === "of the database" ? await app.mint(["feed:read"]) : "shared";
      const [left, stays] = [await signIn(app, token), await signIn(app, token)];
      const open = async ({ cookie }: Form) => {
        const reader = must((await app.ask("/web/feed/stream", { headers: { cookie } })).body).getReader();
        await reader.read();
        return reader;
      };
      const [ends, goesOn] = [await open(left), await open(stays)];
      await post(app, "/sign-out", left);
      await app.ctx.data.append([{ kind: "run.started", actor: "agent:codex", summary: "Run 7 started" }]);
      expect((await ends.read()).done).toBe(true);
      expect(new TextDecoder().decode((await goesOn.read()).value)).toContain("Run 7 started");
      await goesOn.cancel();
    },
  );
});

describe("two servers on one Postgres", () => {
  test("end a session together", async () => {
    await using database = await migratedDatabase("postgres");
    const env = { SVC_DATABASE_URL: database.url };
    const token = (await program(["token", "create", "ana", "--scopes", "feed:read"], env)).output.trim();
    await using first = await startServer(database);
    await using second = await startServer(database);
    const [session] = await openSession(first.origin, token);
    const headers = { cookie: `${must(session).name}=${must(session).value}` };
    const all = () =>
      Promise.all(
        [first, second].map(async ({ origin }) => (await fetch(`${origin}/web/feed`, { headers })).status),
      );
    expect(await all()).toEqual([200, 200]);
    const csrf = csrfOf(await (await fetch(`${second.origin}/methodology`, { headers })).text());
    const out = {
      method: "POST",
      body: new URLSearchParams({ csrf }),
      headers: { ...headers, origin: second.origin },
    };
    expect((await fetch(`${second.origin}/sign-out`, { ...out, redirect: "manual" })).status).toBe(303);
    expect(await all()).toEqual([401, 401]);
  });
});
