/**
 * The pages without a browser: sessions and forms, what a page may load, what a scope lacks, how much a page
 * weighs.
 */
import { describe, expect, test } from "bun:test";
import { fillDemo } from "../../db/demo.ts";
import type { AssetList } from "../../src/assets/schema.ts";
import { allScopes, type Scope } from "../../src/auth/scopes.ts";
import { hashToken } from "../../src/auth/token.ts";
import { entries } from "../../src/docs/contents.ts";
import { fromMicros, secondMicros } from "../../src/lib/time.ts";
import { event, link, must, openApp, type TestApp, until } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

const site = "http://svc.test";

interface Session {
  cookie: string;
  csrf: string;
  setCookie: string;
}

const csrfOf = (html: string): string => must(/name="csrf" value="([^"]+)"/.exec(html)?.[1]);

/** Posts a form as a browser sends it from one of our pages. */
const post = (
  app: TestApp,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  address?: string,
) =>
  app.ask(path, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin: site, "content-type": "application/x-www-form-urlencoded", ...headers },
    ...(address && { address }),
  });

/** Fetches the sign-in form as a browser without a session. */
async function askForm(app: TestApp): Promise<Pick<Session, "cookie" | "csrf">> {
  const response = await app.ask("/sign-in");
  return {
    cookie: must(response.headers.get("set-cookie")?.split(";")[0]),
    csrf: csrfOf(await response.text()),
  };
}

async function signIn(app: TestApp, token: string, next = ""): Promise<Session & { response: Response }> {
  const form = await askForm(app);
  const path = `/sign-in${next && `?next=${encodeURIComponent(next)}`}`;
  const response = await post(app, path, { csrf: form.csrf, token }, { cookie: form.cookie });
  const setCookie = response.headers.get("set-cookie") ?? "";
  const cookie = setCookie.split(";")[0] ?? "";
  const page = await (await app.ask("/methodology", { headers: { cookie } })).text();
  return { response, cookie, setCookie, csrf: csrfOf(page) };
}

const nothing = { project: null, target: null, address: null, request: null };

const page = (app: TestApp, path: string, cookie = "") =>
  app.ask(path, { headers: { cookie, accept: "text/html" } });
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
      expect(await headingOf(await page(app, "/", must(one).cookie))).toBe("Feed");
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
    expect(await headingOf(await page(app, "/", must(brief).cookie))).toBe("Feed");
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
    const said = {
      who: "ana",
      via: "session" as const,
      status: 200,
      count: 1,
      at: app.clock.now(),
      ...nothing,
    };
    expect(rows.map(({ id: _, ...row }) => row)).toEqual([
      { ...said, what: "signOut" },
      { ...said, what: "signIn" },
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
  ])("leads on to %j as %j: never away from the site", async (next, location) => {
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

describe("a form", () => {
  /** Headers of requests that must be rejected, by what is wrong with them. */
  const foreign: [string, Record<string, string | undefined>][] = [
    ["from nowhere", { origin: undefined }],
    ["from a sandboxed frame", { origin: "null" }],
    ["from another site", { origin: "https://evil.example" }],
    ["from a name that begins like ours", { origin: "http://svc.test.evil.example" }],
    ["under another host", { host: "evil.example" }],
  ];

  async function withPending(
    work: (library: Library, session: Session, id: string) => Promise<void>,
  ): Promise<void> {
    await using library = await openLibrary("sqlite", "disk");
    const session = await signIn(library, await library.mint(allScopes));
    const { body } = await library.upload({ project: "atlas" });
    await work(library, session, body.id);
    expect((await library.say(`/assets/${body.id}`)).body.status).toBe("pending");
    expect((await library.events()).map((one) => one.kind)).toEqual(["asset.uploaded"]);
  }

  test.each(foreign)(
    "that comes %s writes nothing: review, publish, sign-in, sign-out, and what islands send",
    async (_name, change) => {
      await withPending(async (library, { cookie, csrf }, id) => {
        const headers = Object.fromEntries(
          Object.entries({ origin: site, cookie, ...change }).filter(
            (one): one is [string, string] => one[1] !== undefined,
          ),
        );
        const form = (path: string, fields: Record<string, string>) =>
          library.ask(path, {
            method: "POST",
            body: new URLSearchParams({ csrf, ...fields }),
            headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
          });
        const token = await library.mint(["feed:read"]);
        for (const response of [
          await form(`/assets/${id}/review`, { decision: "approved" }),
          await form(`/assets/${id}/publish`, {}),
          await form("/sign-in", { token }),
          await form("/sign-out", {}),
          await library.ask(`/web/assets/${id}/review`, {
            method: "PUT",
            json: { decision: "approved" },
            headers: { ...headers, "x-csrf-token": csrf },
          }),
        ]) {
          expect([response.status, response.headers.get("content-type")]).toEqual([
            403,
            "application/problem+json",
          ]);
          expect(response.headers.get("set-cookie")).toBeNull();
        }
      });
    },
  );

  test("without the CSRF token of its session, or with another session's, writes nothing", async () => {
    await withPending(async (library, { cookie }, id) => {
      const other = await signIn(library, await library.mint(allScopes));
      const stranger = await askForm(library);
      for (const csrf of ["", other.csrf, stranger.csrf, `${other.csrf}x`]) {
        expect(
          (await post(library, `/assets/${id}/review`, { csrf, decision: "approved" }, { cookie })).status,
        ).toBe(403);
        const headers = { origin: site, cookie, ...(csrf && { "x-csrf-token": csrf }) };
        expect(
          (
            await library.ask(`/web/assets/${id}/review`, {
              method: "PUT",
              json: { decision: "approved" },
              headers,
            })
          ).status,
        ).toBe(403);
      }
      expect((await post(library, `/assets/${id}/review`, { decision: "approved" }, { cookie })).status).toBe(
        403,
      );
    });
  });

  test("that no browser would send is rejected: JSON, text, a repeated field, too large, another method", async () => {
    await withPending(async (library, { cookie, csrf }, id) => {
      const send = (init: object) => library.ask(`/assets/${id}/review`, { method: "POST", ...init });
      const headers = { origin: site, cookie };
      const urlencoded = { ...headers, "content-type": "application/x-www-form-urlencoded" };
      expect((await send({ json: { csrf, decision: "approved" }, headers })).status).toBe(415);
      expect(
        (
          await send({
            body: `csrf=${csrf}&decision=approved`,
            headers: { ...headers, "content-type": "text/plain" },
          })
        ).status,
      ).toBe(415);
      expect(
        (await send({ body: `csrf=${csrf}&decision=approved&decision=rejected`, headers: urlencoded }))
          .status,
      ).toBe(400);
      expect(
        (await send({ body: `csrf=${csrf}&note=${"x".repeat(70_000)}`, headers: urlencoded })).status,
      ).toBe(413);
      const asked = await page(library, "/sign-out", cookie);
      expect([asked.status, asked.headers.get("allow")]).toEqual([405, "POST"]);
    });
  });

  test("with a file stores nothing unless it comes from our page, CSRF token first, with the scope", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie, csrf } = await signIn(library, await library.mint(allScopes));
    const narrow = await signIn(library, await library.mint(["assets:read"]));
    const send = (
      fields: [string, string | File][],
      headers: Record<string, string> = { origin: site, cookie },
    ) => {
      const body = new FormData();
      for (const [name, value] of fields) body.append(name, value);
      return library.ask("/assets/upload", { method: "POST", body, headers });
    };
    const [token, project, bytes] = [
      ["csrf", csrf],
      ["project", "atlas"],
      ["file", new File(["words"], "note.txt")],
    ] as [string, string | File][];
    const refused: [number, Promise<Response>][] = [
      [403, send([must(project), must(bytes)])],
      [403, send([must(project), must(token), must(bytes)])],
      [403, send([["csrf", `${csrf}x`], must(project), must(bytes)])],
      [403, send([["csrf", "x".repeat(10_000)], must(project), must(bytes)])],
      [403, send([["csrf", new File([csrf], "csrf")], must(project), must(bytes)])],
      [403, send([must(token), must(project), must(bytes)], { cookie })],
      [403, send([must(token), must(project), must(bytes)], { cookie, origin: "https://evil.example" })],
      [403, send([must(token), must(project), must(bytes)], { origin: site })],
      [
        403,
        send([["csrf", narrow.csrf], must(project), must(bytes)], { origin: site, cookie: narrow.cookie }),
      ],
      [400, send([must(token), must(project)])],
      [400, send([must(token), must(project), must(bytes), must(bytes)])],
      [400, send([must(token), ["project", ""], must(bytes)])],
      [404, send([must(token), ["project", "unknown"], must(bytes)])],
      [415, library.ask("/assets/upload", { method: "POST", json: {}, headers: { origin: site, cookie } })],
      [405, library.ask("/assets/upload", { headers: { cookie } })],
    ];
    for (const [at, [status, response]] of refused.entries())
      expect([at, (await response).status]).toEqual([at, status]);
    await library.ctx.store?.deleteLeftovers(new Date(Date.now() + 1000));
    // An answer does not wait for what is tidied up behind it.
    await until(async () => (await library.keys()).length === 0, "nothing is kept");
    expect(await library.events()).toEqual([]);
    const done = await send([must(token), must(project), ["issue", ""], ["replaces", ""], must(bytes)]);
    const { assets } = (await library.say<AssetList>("/assets")).body;
    expect([done.status, done.headers.get("location")]).toEqual([303, `/assets/${assets[0]?.id}`]);
    expect(assets.map(({ title, issue }) => [title, issue])).toEqual([["note.txt", null]]);
  });

  test("writes when everything is valid; a changed file is a conflict", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie, csrf } = await signIn(library, await library.mint(allScopes, { name: "ana" }));
    const { body } = await library.upload({ project: "atlas" });
    const review = (fields: Record<string, string>) =>
      post(
        library,
        `/assets/${body.id}/review`,
        { csrf, decision: "rejected", note: "Too\r\nshort.", ...fields },
        { cookie, accept: "text/html" },
      );
    const stale = await review({ sha256: "0".repeat(64) });
    const shown = await stale.text();
    expect([
      stale.status,
      shown.includes("sha256 does not match"),
      shown.includes("Too\nshort.</textarea>"),
    ]).toEqual([409, true, true]);
    const done = await review({ sha256: body.sha256 });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/assets?reviewed=${body.id}`]);
    expect((await library.say(`/assets/${body.id}`)).body).toMatchObject({
      status: "rejected",
      review_note: "Too\nshort.",
      reviewed_by: "human:ana",
    });
  });
});

describe("a page", () => {
  const policyOf = (response: Response) =>
    new Map(
      (response.headers.get("content-security-policy") ?? "")
        .split("; ")
        .map((one) => one.split(/ (.*)/, 2) as [string, string]),
    );

  test("loads only from the site, runs no inline script, and cannot be framed; error pages too", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie } = await signIn(library, await library.mint(allScopes));
    for (const path of [
      "/",
      "/projects",
      "/projects/atlas",
      "/assets",
      "/methodology",
      "/docs",
      "/docs/quick-start",
      "/docs/api",
      "/sign-in",
      "/projects/none",
      "/?before=never",
    ]) {
      const response = await page(library, path, cookie);
      expect(Object.fromEntries(policyOf(response))).toEqual({
        ...{
          "default-src": "'none'",
          "script-src": "'self'",
          "style-src": "'self'",
          "connect-src": "'self'",
          "worker-src": "'self'",
        },
        ...{
          "img-src": "'self' data:",
          "media-src": "'self'",
          "frame-src": "'self'",
          "form-action": "'self'",
        },
        ...{ "base-uri": "'none'", "frame-ancestors": "'none'" },
      });
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]* src="\/site\/)|<style|\sstyle=|\son\w+=/);
    }
  });

  test("has its style and scripts at content-hashed URLs, cached forever, with a policy of their own", async () => {
    await using app = await openApp("sqlite");
    const html = await (await page(app, "/sign-in")).text();
    const style = must(/href="(\/site\/[^"]+\.css)"/.exec(html)?.[1]);
    for (const name of [
      "style.css",
      "icon.svg",
      "desk.js",
      "feed.js",
      "pdf.min.mjs",
      "pdf.worker.min.mjs",
      "jbig2_nowasm_fallback.js",
    ]) {
      const response = await app.ask(style.replace("style.css", name));
      expect([name, response.status, response.headers.get("cache-control")]).toEqual([
        name,
        200,
        "public, max-age=31536000, immutable",
      ]);
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; script-src 'self'");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
    for (const name of ["other.js", "__proto__", "../app.ts", "%2e%2e/app.ts", "desk.ts"])
      expect([name, (await app.ask(style.replace("style.css", name))).status]).toEqual([name, 404]);
  });

  test("may send bytes to the bucket exactly, where bytes are sent; show those of the content's origin, where there is one", async () => {
    await using bucket = await openLibrary("sqlite", "bucket");
    const { cookie } = await signIn(bucket, await bucket.mint(allScopes));
    const origin = new URL(must(bucket.store.baseUrl)).origin;
    expect(policyOf(await page(bucket, "/assets", cookie)).get("connect-src")).toBe(`'self' ${origin}`);
    expect(policyOf(await page(bucket, "/", cookie)).get("connect-src")).toBe("'self'");

    await using apart = await openLibrary("sqlite", "disk", { SVC_CONTENT_URL: "http://bytes.test" });
    const session = await signIn(apart, await apart.mint(allScopes));
    const { body } = await apart.upload({ project: "atlas" }, new File(["%PDF-1.4\n%%EOF\n"], "plan.pdf"));
    const policy = policyOf(await page(apart, `/assets/${body.id}`, session.cookie));
    expect([
      policy.get("connect-src"),
      policy.get("img-src"),
      policy.get("frame-src"),
      policy.get("media-src"),
    ]).toEqual([
      "'self' http://bytes.test",
      "'self' http://bytes.test data:",
      "http://bytes.test",
      "http://bytes.test",
    ]);
  });

  test.each([
    [
      "/",
      ["assets:read"],
      403,
      "This token lacks the scope feed:read. Ask an admin for a token with any role.",
    ],
    [
      "/projects",
      ["assets:read"],
      403,
      "This token lacks the scope feed:read. Ask an admin for a token with any role.",
    ],
    [
      "/assets",
      ["feed:read"],
      403,
      "This token lacks the scope assets:read. Ask an admin for a token with any role.",
    ],
    ["/assets", ["assets:read"], 200, "To upload, you need the <code>assets:write</code> scope"],
    [
      "/assets/:id",
      ["assets:read", "assets:write"],
      200,
      "To approve or reject, you need the <code>assets:review</code> scope",
    ],
    [
      "/assets/:id",
      ["assets:read", "assets:review"],
      200,
      "To upload the next version, you need the <code>assets:write</code> scope",
    ],
    [
      "/assets/:id",
      ["assets:read"],
      200,
      "To see related decisions, you need the <code>memory:read</code> scope",
    ],
  ] as [string, Scope[], number, string][])(
    "%s with %p explains what a scope lacks: %i, %s",
    async (path, scopes, status, said) => {
      await using library = await openLibrary("sqlite", "disk");
      const { body } = await library.upload({ project: "atlas" });
      const { cookie } = await signIn(library, await library.mint(scopes, { name: "narrow" }));
      const response = await page(library, path.replace(":id", body.id), cookie);
      const html = await response.text();
      expect([response.status, html.includes(said)]).toEqual([status, true]);
      expect(html).toContain("narrow");
    },
  );

  test("of a project outside the token's limits is not found, and its events, assets and numbers are hidden", async () => {
    await using library = await openLibrary("sqlite", "disk");
    await link(library.ctx.data, "beacon");
    await library.ctx.data.atomically((writes) =>
      writes.append([event({ project: "beacon", summary: "Secret of beacon" })]),
    );
    const hidden = await library.upload({ project: "beacon", title: "Hidden asset" });
    const { cookie } = await signIn(library, await library.mint(allScopes, { projects: ["atlas"] }));
    for (const path of [
      "/projects/beacon",
      "/projects/beacon/usage.csv",
      `/assets/${hidden.body.id}`,
      `/assets?reviewed=${hidden.body.id}`,
    ])
      expect((await page(library, path, cookie)).status).toBe(404);
    for (const path of ["/", "/projects", "/assets", "/web/feed-rows"]) {
      const html = await (await page(library, path, cookie)).text();
      expect([path, /beacon|Hidden/.test(html)]).toEqual([path, false]);
    }
  });

  test("of the feed is rendered once per set of scopes, and never shown to others or when it is stale", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const all = await signIn(app, await app.mint(["feed:read"], { name: "all" }));
    const some = await signIn(app, await app.mint(["feed:read"], { name: "some", projects: ["beacon"] }));
    const read = async ({ cookie }: Session) => (await page(app, "/", cookie)).text();
    const append = (summary: string) =>
      app.ctx.data.atomically((writes) => writes.append([event({ project: "atlas", summary })]));
    await append("Run 1 of atlas");
    const first = await read(all);
    expect(first).toContain("Run 1 of atlas");
    expect(await read(all)).toBe(first);
    expect(await read(some)).not.toContain("atlas");
    const other = await signIn(app, await app.mint(["assets:read"], { name: "other" }));
    expect((await page(app, "/", other.cookie)).status).toBe(403);
    const also = await signIn(app, await app.mint(["feed:read"], { name: "also" }));
    const csrfIn = (html: string) => must(/name="csrf" content="([^"]+)"/.exec(html)?.[1]);
    const [theirs, again] = [await read(also), await read(all)];
    expect([
      theirs.includes(">also<"),
      theirs.includes(">all<"),
      csrfIn(theirs) === csrfIn(first),
      again,
    ]).toEqual([true, false, false, first]);
    const nothing = async ({ cookie }: Session) => (await page(app, "/?actor=agent:nobody", cookie)).text();
    expect(await nothing(all)).toContain('<option value="atlas">');
    expect(await nothing(some)).not.toContain("atlas");
    await append("Run 2 of atlas");
    expect(await read(all)).toContain("Run 2 of atlas");
    await link(app.ctx.data, "coral");
    app.clock.advance(6 * secondMicros);
    expect(await read(all)).toContain('<option value="coral">');
  });

  test("shows the words of others as words, and links to https alone", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>&lt;`;
    await library.ctx.data.atomically(async (writes) => {
      await writes.append([
        event({
          project: "atlas",
          summary: evil,
          actor: `agent:${evil.replaceAll(" ", "_")}`,
          model: evil,
          url: "https://a.example/?q=<b>",
        }),
      ]);
      await writes.append([
        event({ project: "atlas", url: "javascript:alert(1)" }),
        event({ project: "atlas", url: "http://a.example/" }),
      ]);
      const decision = {
        project: "atlas",
        text: evil,
        source: evil.slice(0, 60),
        source_ref: "javascript:alert(1)",
        actor: "human:eve",
      };
      await writes.addDecision({ ...decision, valid_from: library.clock.now() });
    });
    const { body } = await library.upload(
      { project: "atlas", title: evil, description: evil, tags: evil.replaceAll(",", "") },
      new File(["x"], evil),
    );
    await library.review(body.id, { decision: "rejected", note: evil });
    const { cookie } = await signIn(library, await library.mint(allScopes));
    for (const path of [
      "/",
      "/projects/atlas",
      "/assets",
      "/assets?as=list",
      `/assets/${body.id}`,
      `/assets?project=${encodeURIComponent(evil)}`,
      `/?actor=${encodeURIComponent(evil)}`,
    ]) {
      const html = await (await page(library, path, cookie)).text();
      expect([path, /<img src=x|<script>|href="(javascript|http:\/\/a\.example)/.test(html)]).toEqual([
        path,
        false,
      ]);
    }
    const csv = await (await page(library, "/projects/atlas/usage.csv", cookie)).text();
    expect(csv).toStartWith("day,lane,model,");
  });

  test("of a project shows what a decision replaced, and gives a model one color in every chart", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const by = async (text: string, supersedes?: number) =>
      app.ctx.data.atomically((writes) =>
        writes.addDecision({
          ...{
            project: "atlas",
            text,
            source: "cli",
            source_ref: null,
            actor: "human:zoe",
            valid_from: app.clock.now(),
          },
          ...(supersedes !== undefined && { supersedes }),
        }),
      );
    await by("Tiles are square", must(await by("Tiles are <round>")).id);
    const used = (model: string, cost_equiv: number, tokens_in: number) =>
      event({ project: "atlas", kind: "step.usage", model, cost_equiv, tokens_in });
    await app.ctx.data.atomically((writes) => writes.append([used("dear", 9, 10), used("cheap", 1, 90_000)]));
    const { cookie } = await signIn(app, await app.mint(["feed:read"]));
    const html = await (await page(app, "/projects/atlas", cookie)).text();
    expect(html).toContain("Tiles are square");
    expect(html).toContain("<summary>Replaced an earlier decision from today</summary>");
    expect(html).toContain("<del>Tiles are &lt;round></del>");
    const colours = [
      ...html.matchAll(/<rect width="10" height="10" class="(c\d)"><\/rect><\/svg> (\w+)/g),
    ].map(([, fill, name]) => [name, fill]);
    expect(colours).toEqual([
      ["dear", "c1"],
      ["cheap", "c2"],
      ["dear", "c1"],
      ["cheap", "c2"],
    ]);
  });

  test("of assets says how to link a project while there is none, and offers no upload", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie } = await signIn(
      library,
      await library.mint(["feed:read", "assets:read", "assets:write"], { projects: ["nowhere"] }),
    );
    const html = await (await page(library, "/assets", cookie)).text();
    expect([
      html.includes("Assets belong to a project. Link one with"),
      html.includes("data-upload"),
    ]).toEqual([true, false]);
  });

  test("of CSV contains no spreadsheet formulas", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const bad = ['=HYPERLINK("http://evil")', "+1", "-1", "@SUM(A1)", 'a"b'];
    await app.ctx.data.atomically((writes) =>
      writes.append(
        bad.map((model) => event({ project: "atlas", kind: "run.finished", model, tokens_in: 1 })),
      ),
    );
    const { cookie } = await signIn(app, await app.mint(["feed:read"]));
    const text = await (await page(app, "/projects/atlas/usage.csv", cookie)).text();
    const models = text
      .split("\r\n")
      .slice(1, -1)
      .map((row) => must(/^"[^"]*",,("(?:[^"]|"")*")/.exec(row)?.[1]));
    expect(models.toSorted()).toEqual(
      [`"'+1"`, `"'-1"`, `"'=HYPERLINK(""http://evil"")"`, `"'@SUM(A1)"`, `"a""b"`].toSorted(),
    );
  });

  test("for an error is HTML for browsers and a problem document for programs", async () => {
    await using app = await openApp("sqlite");
    const [browser, program] = await Promise.all([
      app.ask("/sign-out", { headers: { accept: "text/html,*/*" } }),
      app.ask("/sign-out", { headers: { accept: "application/json" } }),
    ]);
    expect([browser.status, browser.headers.get("content-type")]).toEqual([405, "text/html; charset=utf-8"]);
    expect([program.status, program.headers.get("content-type")]).toEqual([405, "application/problem+json"]);
  });

  test("that does not exist is the same 404, whatever the path", async () => {
    await using app = await openApp("sqlite");
    for (const path of [
      "/nothing",
      "//evil.example/x",
      "//:80",
      "/%ff",
      "/assets/a/b",
      "/.env",
      "/sign-in/",
    ]) {
      const response = await page(app, path);
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        404,
        "text/html; charset=utf-8",
      ]);
      expect(await response.text()).not.toMatch(/(href|src|action)="[^"]*evil/);
      expect([path, (await app.ask(path)).headers.get("content-type")]).toEqual([
        path,
        "application/problem+json",
      ]);
    }
    expect((await page(app, "/api/v1/nothing")).headers.get("content-type")).toBe("application/problem+json");
  });

  test("of the demo is public and read-only", async () => {
    await using app = await openApp("sqlite", { SVC_DATA_MODE: "mock" });
    await fillDemo(app.ctx.data, { now: app.clock.now(), lanes: app.ctx.config.lanes });
    for (const path of ["/", "/projects", "/projects/harbor", "/assets"]) {
      const response = await page(app, path);
      const html = await response.text();
      expect([path, response.status, html.includes("Demo data"), html.includes("data-upload")]).toEqual([
        path,
        200,
        true,
        false,
      ]);
    }
  });
});

describe("the weight of a page", () => {
  /** Compressed size of all that a browser loads: the page, its style, its scripts and their imports. */
  async function weightOf(app: TestApp, path: string, cookie: string): Promise<number> {
    const load = async (address: string): Promise<string> => {
      const response = await app.ask(address, {
        headers: { cookie, accept: "text/html", "accept-encoding": "gzip" },
      });
      expect([address, response.status]).toEqual([address, 200]);
      const packed = await response.bytes();
      sum += packed.length;
      return new TextDecoder().decode(
        response.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(packed) : packed,
      );
    };
    let sum = 0;
    const html = await load(path);
    const wanted = [...html.matchAll(/(?:<script[^>]* src|<link[^>]*stylesheet"[^>]* href)="([^"]+)"/g)].map(
      (match) => must(match[1]),
    );
    const seen = new Set<string>();
    for (let address = wanted.shift(); address; address = wanted.shift()) {
      if (seen.has(address)) continue;
      seen.add(address);
      const text = await load(address);
      if (address.endsWith(".js"))
        wanted.push(
          ...[...text.matchAll(/(?:from|import)"\.\/(\w+\.js)"/g)].map(
            (match) => address?.replace(/[^/]+$/, must(match[1])) as string,
          ),
        );
    }
    expect(seen.size).toBeGreaterThan(0);
    return sum;
  }

  const [most, mostOfDesk] = [60_000, 90_000];
  test(`is at most ${most} bytes, that of the desk ${mostOfDesk}, with a month of work in it`, async () => {
    await using library = await openLibrary("sqlite", "disk");
    await fillDemo(library.ctx.data, { now: library.clock.now(), lanes: library.ctx.config.lanes });
    const { cookie } = await signIn(library, await library.mint(allScopes));
    const first = await library.upload(
      { project: "harbor", title: "Berth map" },
      new File(["<h1>One</h1>\n".repeat(900)], "map.html"),
    );
    const second = await library.upload(
      { project: "harbor", replaces: first.body.id },
      new File(["<h1>Two</h1>\n".repeat(900)], "map.html"),
    );
    for (const path of [
      "/",
      "/projects",
      "/projects/harbor",
      "/assets",
      "/assets?as=list",
      "/methodology",
      "/docs/design",
      ...entries.map(({ path }) => path),
      "/sign-in",
    ])
      expect([path, (await weightOf(library, path, cookie)) <= most]).toEqual([path, true]);
    for (const path of [
      `/assets/${second.body.id}`,
      `/assets/${second.body.id}?with=${first.body.id}&mode=text`,
    ])
      expect([path, (await weightOf(library, path, cookie)) <= mostOfDesk]).toEqual([path, true]);
  });
});

test("times are formatted for people", async () => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  await app.ctx.data.atomically((writes) =>
    writes.append([event({ project: "atlas", ts: app.clock.now() })]),
  );
  const { cookie } = await signIn(app, await app.mint(["feed:read"]));
  const html = await (await page(app, "/", cookie)).text();
  expect(html).toContain("Sunday, 1 March 2026");
  expect(html).toContain(`<time datetime="${fromMicros(app.clock.now())}">12:00:00</time>`);
});
