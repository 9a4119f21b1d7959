/**
 * Sessions of the website: how they end, CSRF protection of the sign-in form, and the limit of failed
 * sign-ins.
 */
import { describe, expect, test } from "bun:test";
import { startWorkers } from "../../cli/workers.ts";
import { openData } from "../../db/open.ts";
import { openBackupContents } from "../../src/backup/contents.ts";
import { secondMicros } from "../../src/lib/time.ts";
import {
  dialects,
  freshDatabase,
  must,
  openApp,
  program,
  rowsOf,
  startServer,
  type TestApp,
  type TestRequest,
  until,
} from "../support/harness.ts";
import { openSession, openSignInForm } from "../support/test-server.ts";

const site = "http://svc.test";
const urlencoded = "application/x-www-form-urlencoded";

interface Form {
  cookie: string;
  csrf: string;
}

const cookieOf = (response: Response): string => must(response.headers.get("set-cookie")?.split(";")[0]);
const csrfOf = (html: string): string => must(/name="csrf" value="([^"]+)"/.exec(html)?.[1]);

/** Loads the sign-in form as a browser does. */
async function loadForm(app: TestApp, cookie = ""): Promise<Form> {
  const response = await app.ask("/sign-in", { headers: { cookie, accept: "text/html" } });
  return {
    cookie: response.headers.has("set-cookie") ? cookieOf(response) : cookie,
    csrf: csrfOf(await response.text()),
  };
}

const post = (
  app: TestApp,
  path: string,
  { cookie, csrf }: Form,
  fields: Record<string, string> = {},
  more: TestRequest = {},
) =>
  app.ask(path, {
    ...{ method: "POST", body: new URLSearchParams({ csrf, ...fields }), ...more },
    headers: {
      origin: site,
      "content-type": urlencoded,
      cookie,
      accept: "text/html",
      ...(more.headers as Record<string, string>),
    },
  });

/** Signs in. @returns the session cookie and the CSRF token */
async function signIn(app: TestApp, token: string): Promise<Form> {
  const response = await post(app, "/sign-in", await loadForm(app), { token });
  expect(response.status).toBe(303);
  const cookie = cookieOf(response);
  return { cookie, csrf: csrfOf(await (await app.ask("/methodology", { headers: { cookie } })).text()) };
}

const statuses = async (app: TestApp, { cookie }: Form): Promise<number[]> =>
  Promise.all(["/", "/web/feed"].map(async (path) => (await app.ask(path, { headers: { cookie } })).status));

const attempt = async (app: TestApp, token: string, more: TestRequest = {}): Promise<number> =>
  (await post(app, "/sign-in", await loadForm(app), { token }, more)).status;

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
    await using database = await freshDatabase("postgres");
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

describe("the sign-in form", () => {
  test("is tied to one browser by an HttpOnly session cookie", async () => {
    await using app = await openApp("sqlite");
    const token = await app.mint(["feed:read"]);
    const response = await app.ask("/sign-in", { headers: { accept: "text/html" } });
    expect(response.headers.get("set-cookie")).toMatch(
      /^svc_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const [mine, theirs] = [await loadForm(app), await loadForm(app)];
    expect(mine.csrf).not.toBe(theirs.csrf);
    expect((await post(app, "/sign-in", { cookie: mine.cookie, csrf: theirs.csrf }, { token })).status).toBe(
      403,
    );
    expect((await post(app, "/sign-in", { cookie: "", csrf: theirs.csrf }, { token })).status).toBe(403);
    expect((await post(app, "/sign-in", { cookie: "", csrf: "" }, { token })).status).toBe(403);
    expect((await post(app, "/sign-out", { cookie: "", csrf: theirs.csrf })).status).toBe(403);
    expect((await post(app, "/sign-in", mine, { token })).status).toBe(303);
  });

  test("is the same in every tab and on every page that asks to sign in", async () => {
    await using app = await openApp("sqlite");
    const first = await loadForm(app);
    expect(await loadForm(app, first.cookie)).toEqual(first);
    const page = await app.ask("/projects", { headers: { accept: "text/html", cookie: first.cookie } });
    expect([page.status, page.headers.get("set-cookie"), csrfOf(await page.text())]).toEqual([
      401,
      null,
      first.csrf,
    ]);
    const fresh = await app.ask("/projects", { headers: { accept: "text/html" } });
    expect([fresh.status, fresh.headers.get("set-cookie")?.startsWith("svc_form=")]).toEqual([401, true]);
  });

  test("sets no cookie on a page without a form, which is identical for all anonymous visitors", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const { cookie } = await loadForm(app);
    const [plain, withCookie] = await Promise.all(
      ["", cookie].map((one) => app.ask("/", { headers: { cookie: one } })),
    );
    expect([plain?.headers.get("set-cookie"), withCookie?.headers.get("set-cookie")]).toEqual([null, null]);
    expect(await must(plain).text()).toBe(await must(withCookie).text());
  });

  test.each([
    ["another port of this machine", "http://localhost:3000", {}, 403],
    ["another port of this machine by number", "http://127.0.0.1:8788", {}, 403],
    ["another port of this machine in IPv6", "http://[::1]:3000", {}, 403],
    ["another port of the site", "http://svc.test:8080", {}, 403],
    ["the site by another scheme", "https://svc.test", {}, 403],
    ["a loopback name, asked for under the name of the site", "http://localhost", {}, 403],
    ["a host that is not allowed", "http://other.example", {}, 403],
    ["an allowed host on another port", "http://allowed.example:3000", { host: "allowed.example" }, 403],
    ["the site", "http://svc.test", {}, 303],
    ["the port that the request came to", "http://localhost:8787", { host: "localhost:8787" }, 303],
    ["the port that the request came to, in IPv6", "http://[::1]:8787", { host: "[::1]:8787" }, 303],
    ["an allowed host", "https://allowed.example", {}, 303],
    ["an allowed host on its port", "http://ported.example:8443", {}, 303],
    [
      "an allowed host on the port that the request came to",
      "http://allowed.example:81",
      { host: "allowed.example:81" },
      303,
    ],
  ])("from %s (%s) gets the expected response", async (_, origin, headers, status) => {
    await using app = await openApp("sqlite", { SVC_ALLOWED_HOSTS: "Allowed.example,ported.example:8443" });
    const token = await app.mint(["feed:read"]);
    const response = await post(
      app,
      "/sign-in",
      await loadForm(app),
      { token },
      { headers: { origin, ...headers } },
    );
    expect([origin, response.status]).toEqual([origin, status]);
  });
});

describe.each(dialects)("the lock of the sign-in on %s", (dialect) => {
  const wrong = `svc_${"0".repeat(40)}`;

  test("counts failed tokens only, not cross-site posts, forms without a CSRF token or successful sign-ins", async () => {
    await using app = await openApp(dialect, { SVC_RATE_LIMIT: "60/60" });
    const token = await app.mint(["feed:read"]);
    const form = await loadForm(app);
    for (let at = 0; at < 30; at++) {
      expect(
        (await post(app, "/sign-in", form, { token: wrong }, { headers: { origin: "https://evil.example" } }))
          .status,
      ).toBe(403);
      expect((await post(app, "/sign-in", { cookie: "", csrf: form.csrf }, { token: wrong })).status).toBe(
        403,
      );
      expect((await post(app, "/sign-in", form, { token })).status).toBe(303);
    }
    for (let at = 0; at < 10; at++) expect(await attempt(app, wrong)).toBe(401);
    expect([await attempt(app, wrong), await attempt(app, token)]).toEqual([429, 429]);
    expect(await attempt(app, token, { address: "192.0.2.99" })).toBe(303);
    app.clock.advance(60 * secondMicros);
    expect(await attempt(app, token)).toBe(303);
  });

  test("answers ten of 100 concurrent guesses, and refuses the right token after them", async () => {
    await using app = await openApp(dialect, { SVC_RATE_LIMIT: "60/60" });
    const form = await loadForm(app);
    const guesses = Array.from({ length: 100 }, () => post(app, "/sign-in", form, { token: wrong }));
    const answers = (await Promise.all(guesses)).map(({ status }) => status);
    expect(answers.filter((status) => status === 401).length).toBe(10);
    expect(answers.filter((status) => status === 429).length).toBe(90);
    expect(await attempt(app, await app.mint(["feed:read"]))).toBe(429);
  });

  test("counts an IPv6 /64 as one address, and IPv4-mapped IPv6 as IPv4", async () => {
    await using app = await openApp(dialect, { SVC_RATE_LIMIT: "60/60" });
    for (let at = 0; at < 10; at++)
      expect(await attempt(app, wrong, { address: `2001:db8:0:7::${at}` })).toBe(401);
    expect(await attempt(app, wrong, { address: "2001:db8:0:7:ffff:ffff:ffff:ffff" })).toBe(429);
    expect(await attempt(app, wrong, { address: "2001:db8:0:8::1" })).toBe(401);
    for (let at = 0; at < 10; at++) expect(await attempt(app, wrong, { address: "192.0.2.5" })).toBe(401);
    expect(await attempt(app, wrong, { address: "::ffff:192.0.2.5" })).toBe(429);
  });

  test("is off with SVC_RATE_LIMIT=off", async () => {
    await using app = await openApp(dialect, { SVC_RATE_LIMIT: "off" });
    for (let at = 0; at < 30; at++) expect(await attempt(app, wrong)).toBe(401);
  });
});

test("a form submitted from another port of this machine cannot sign in", async () => {
  await using database = await freshDatabase("sqlite");
  await using server = await startServer(database);
  const { cookie, csrf } = await openSignInForm(server.origin);
  const body = new URLSearchParams({ csrf, token: "test-token-with-every-scope" });
  const send = async (origin: string) =>
    (
      await fetch(`${server.origin}/sign-in`, {
        method: "POST",
        body,
        headers: { origin, cookie },
        redirect: "manual",
      })
    ).status;
  const { port } = new URL(server.origin);
  expect([
    await send("http://localhost:1"),
    await send(`http://localhost:${port}`),
    await send(server.origin),
  ]).toEqual([403, 403, 303]);
});
