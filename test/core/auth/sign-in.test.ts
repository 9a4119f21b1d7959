/** The sign-in form and its lock. */
import { describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { csrfOf, loadForm, post } from "../../support/browser/sign-in.ts";
import {
  dialects,
  freshDatabase,
  must,
  openApp,
  startServer,
  type TestApp,
  type TestRequest,
} from "../../support/harness.ts";
import { openSignInForm } from "../../support/test-server.ts";

const attempt = async (app: TestApp, token: string, more: TestRequest = {}): Promise<number> =>
  (await post(app, "/sign-in", await loadForm(app), { token }, more)).status;

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
