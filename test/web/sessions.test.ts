/** A session of the pages: its cookie, its end, and how it starts. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { hashToken } from "../../src/core/auth/token.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import { askForm, nothing, page, post, signIn } from "../support/browser/site.ts";
import { must, openApp } from "../support/harness.ts";

/** The text of the page's heading. */
const headingOf = async (response: Response): Promise<string> =>
  must(/<h1[^>]*>([^<]*)/.exec(await response.text())?.[1]);

describe("a session", () => {
  test("is a cookie of twelve hours that scripts and other sites do not see", async () => {
    await using app = await openApp("sqlite");
    const { response, setCookie } = await signIn(app, await app.mint(["feed:read"]), "/projects");
    expect([response.status, response.headers.get("location")]).toEqual([303, "/projects"]);
    expect(setCookie).toMatch(/^svc_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
  });

  test("is bound to the site and to https where the site has it", async () => {
    await using app = await openApp("sqlite", { SVC_SITE_URL: "https://svc.test" });
    const token = await app.mint(["feed:read"]);
    const { cookie, csrf } = await askForm(app);
    expect(cookie).toStartWith("__Host-svc_form=");
    const response = await post(app, "/sign-in", { csrf, token }, { origin: "https://svc.test", cookie });
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-svc_session=.*; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/,
    );
  });

  test("ends after twelve hours, with its token, and on sign-out", async () => {
    await using app = await openApp("sqlite");
    const [brief, revoked, expiring, leaving] = await Promise.all(
      ["brief", "revoked", "expiring", "leaving"].map(async (name) =>
        signIn(
          app,
          await app.mint(["feed:read"], {
            name,
            ...(name === "expiring" && { expires_at: app.clock.now() + 60 * secondMicros }),
          }),
        ),
      ),
    );
    for (const one of [brief, revoked, expiring, leaving])
      expect(await headingOf(await page(app, "/", must(one).cookie))).toBe("Today");
    await app.ctx.data.atomically((writes) => writes.revokeToken("revoked", app.clock.now()));
    expect(await headingOf(await page(app, "/", must(revoked).cookie))).toBe("Sign in");
    app.clock.advance(61 * secondMicros);
    expect(await headingOf(await page(app, "/", must(expiring).cookie))).toBe("Sign in");
    const out = await post(app, "/sign-out", { csrf: must(leaving).csrf }, { cookie: must(leaving).cookie });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([
      303,
      "svc_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0",
    ]);
    app.clock.advance(12 * 3600 * secondMicros - 62 * secondMicros);
    expect(await headingOf(await page(app, "/", must(brief).cookie))).toBe("Today");
    app.clock.advance(2 * secondMicros);
    const over = await page(app, "/", must(brief).cookie);
    expect([over.status, await headingOf(over)]).toEqual([401, "Sign in"]);
  });

  test("is invalid if any letter of its cookie is changed, or if it is made up", async () => {
    await using app = await openApp("sqlite");
    const token = await app.mint(["feed:read"]);
    const { cookie } = await signIn(app, token);
    const id = must(cookie.split("=")[1]);
    const forged = [
      ...[
        `${id.startsWith("A") ? "B" : "A"}${id.slice(1)}`,
        id.slice(1),
        `${id}A`,
        id.toLowerCase(),
        "A".repeat(43),
        "chosen",
        "",
      ],
      ...[hashToken(id), hashToken(token), token, `${id}.${id}`],
    ];
    for (const one of forged)
      expect([one, (await page(app, "/", `svc_session=${one}`)).status]).toEqual([one, 401]);
    expect((await page(app, "/", cookie)).status).toBe(200);
  });

  test("is in the audit log when it begins and ends, with the name of its token and nothing else", async () => {
    await using app = await openApp("sqlite");
    const token = await app.mint(["feed:read"], { name: "ana" });
    const { cookie, csrf } = await signIn(app, token);
    expect((await post(app, "/sign-out", { csrf }, { cookie })).status).toBe(303);
    const stranger = await askForm(app);
    expect((await post(app, "/sign-out", { csrf: stranger.csrf }, { cookie: stranger.cookie })).status).toBe(
      303,
    );
    await app.ctx.audit.close();
    const rows = await app.ctx.data.audit({ limit: 9 });
    const fields = {
      who: "ana",
      via: "session" as const,
      status: 200,
      count: 1,
      at: app.clock.now(),
      ...nothing,
    };
    expect(rows.map(({ id: _, ...row }) => row)).toEqual([
      { ...fields, what: "signOut" },
      { ...fields, what: "signIn" },
    ]);
  });

  test("is new at every sign-in, whatever cookie the request had", async () => {
    await using app = await openApp("sqlite");
    const token = await app.mint(["feed:read"]);
    const first = await signIn(app, token);
    const second = await signIn(app, token);
    expect(second.cookie).not.toBe(first.cookie);
    const { cookie, csrf } = await askForm(app);
    const response = await post(
      app,
      "/sign-in",
      { csrf, token },
      { cookie: `${cookie}; svc_session=planted` },
    );
    expect([response.status, response.headers.get("set-cookie")?.includes("planted")]).toEqual([303, false]);
  });

  test("starts only from the form: no URL and no header signs in, and no cookie opens the API", async () => {
    await using app = await openApp("sqlite");
    const token = await app.mint(allScopes);
    for (const path of [
      `/?token=${token}`,
      `/sign-in?token=${token}&next=/`,
      `/projects?access_token=${token}`,
    ])
      expect(await headingOf(await page(app, path))).toBe("Sign in");
    expect((await app.ask("/", { token, headers: { accept: "text/html" } })).status).toBe(401);
    const { cookie } = await signIn(app, token);
    expect((await app.ask("/api/v1/feed", { headers: { cookie } })).status).toBe(401);
    expect((await app.ask("/web/feed", { headers: { cookie } })).status).toBe(200);
    expect((await app.ask("/web/feed", { token })).status).toBe(401);
  });

  test.each([
    ["/assets?status=pending", "/assets?status=pending"],
    ["/projects/atlas", "/projects/atlas"],
    ["//evil.example", "/"],
    ["///evil.example", "/"],
    ["/\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["\\\\evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["data:text/html,x", "/"],
    ["evil.example", "/"],
    ["/sign-out", "/"],
    ["/a\nset-cookie: x=1", "/"],
    ["", "/"],
  ])("redirects from %j to %j: never to another site", async (next, location) => {
    await using app = await openApp("sqlite");
    const { response } = await signIn(app, await app.mint(["feed:read"]), next);
    expect([response.status, response.headers.get("location")]).toEqual([303, location]);
  });

  test("is guessed at ten times a minute from one address, which a client cannot make up", async () => {
    await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "60/60" });
    const { cookie, csrf } = await askForm(app);
    const guess = (address: string, forwarded = "") => {
      const headers = { accept: "text/html", "x-forwarded-for": forwarded, cookie };
      return post(app, "/sign-in", { csrf, token: `svc_${"0".repeat(40)}` }, headers, address);
    };
    for (let at = 0; at < 10; at++) expect((await guess("192.0.2.7", `203.0.113.${at}`)).status).toBe(401);
    const refused = await guess("192.0.2.7", "203.0.113.99");
    expect([refused.status, await headingOf(refused.clone())]).toEqual([429, "Too many attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await guess("192.0.2.8")).status).toBe(401);
    app.clock.advance(61 * secondMicros);
    expect((await guess("192.0.2.7")).status).toBe(401);
  });

  test("behind a trusted proxy is rate-limited by the client IP that the proxy adds", async () => {
    await using app = await openApp("sqlite", { SVC_TRUST_PROXY: "1", SVC_RATE_LIMIT: "60/60" });
    const { cookie, csrf } = await askForm(app);
    const guess = (forwarded: string) =>
      post(app, "/sign-in", { csrf, token: "no" }, { "x-forwarded-for": forwarded, cookie }, "127.0.0.1");
    for (let at = 0; at < 10; at++) expect((await guess(`10.0.0.${at}, 203.0.113.5`)).status).toBe(401);
    expect((await guess("10.0.0.77, 203.0.113.5")).status).toBe(429);
    expect((await guess("203.0.113.5, 203.0.113.6")).status).toBe(401);
  });
});
