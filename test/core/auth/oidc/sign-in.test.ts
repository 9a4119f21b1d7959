/** People sign in with OpenID Connect, and what changes at their provider acts here within a minute. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isStillAuthorized } from "../../../../src/core/auth/authentication.ts";
import { visitorFrom } from "../../../../src/core/auth/session.ts";
import { minuteMicros, secondMicros } from "../../../../src/core/lib/time.ts";
import { link, openApp, type TestApp } from "../../../support/app.ts";
import { dialects } from "../../../support/database/database.ts";
import { until } from "../../../support/harness.ts";
import { type CookieJar, openCookieJar } from "../../../support/http/cookie-jar.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../support/servers/identity-provider.ts";

const site = "http://svc.test";

describe.each(dialects)("on %s", (dialect) => {
  let provider: IdentityProvider;
  let app: TestApp;
  beforeAll(async () => {
    provider = await startIdentityProvider(`${site}/sign-in/oidc/callback`, `${site}/sign-in`);
    app = await openApp(dialect, {
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_CLIENT_ID: "svc",
      SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
      SVC_OIDC_ACCESS: "admins=admin; design=reviewer@atlas; staff=reader",
      SVC_OIDC_LABEL: "Acme",
    });
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
  });
  afterAll(async () => {
    await app.close();
    await provider[Symbol.asyncDispose]();
  });

  const begin = async (jar: CookieJar, next = "/") =>
    (await jar.ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`)).headers.get("location") as string;
  /** Signs in as a person of these groups. @returns the response of the callback */
  async function signIn(jar: CookieJar, login: string, fields: { groups?: string[]; name?: string } = {}) {
    const { groups = ["design"], name: preferred_username = login } = fields;
    provider.people.set(login, { preferred_username, groups });
    const back = await provider.signIn(await begin(jar), login);
    return jar.ask(back.slice(site.length));
  }
  /** Who is signed in, and the projects that they see. */
  async function whoIs(jar: CookieJar): Promise<{ name: string; projects: string[] } | null> {
    const page = await jar.ask("/projects");
    if (page.status === 401) return null;
    const text = await page.text();
    const projects = ["atlas", "borealis"].filter((slug) => text.includes(`href="/projects/${slug}"`));
    return { name: /class="who">([^<]*)</.exec(text)?.[1] ?? "", projects };
  }
  const open = () => openCookieJar(app);

  test("the sign-in page leads to the provider, and the callback to the page that was asked for", async () => {
    const jar = open();
    const page = await (await jar.ask("/memory?status=all")).text();
    const link = /href="(\/sign-in\/oidc[^"]*)"/.exec(page)?.[1] as string;
    expect(page).toContain("Sign in with Acme");
    provider.people.set("ana", { preferred_username: "ana", groups: ["staff"] });
    const authorization = (await jar.ask(link)).headers.get("location") as string;
    const done = await jar.ask((await provider.signIn(authorization, "ana")).slice(site.length));
    expect([done.status, done.headers.get("location")]).toEqual([303, "/memory?status=all"]);
    expect(await whoIs(jar)).toEqual({ name: "ana", projects: ["atlas", "borealis"] });
    expect([...jar.cookies.keys()]).not.toContain("svc_oidc");
    const isAudited = async () =>
      (await app.ctx.data.audit({ who: "human:ana", what: ["signIn"], limit: 1 }))[0]?.target === "Acme";
    await until(isAudited, "it is in the audit log");
  });

  test("the first rule that names a group of a person gives role and projects", async () => {
    const jar = open();
    await signIn(jar, "dana");
    expect(await whoIs(jar)).toEqual({ name: "dana", projects: ["atlas"] });
    expect((await jar.ask("/settings")).status).toBe(403);
    const admin = open();
    await signIn(admin, "root-7", { groups: ["staff", "admins"], name: "rut" });
    expect((await admin.ask("/settings")).status).toBe(200);
  });

  test("a person without such a group is told which groups they have", async () => {
    const jar = open();
    const response = await signIn(jar, "eve", { groups: ["sales", "lunch"] });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("none of your groups has access (sales, lunch)");
    expect(await whoIs(jar)).toBeNull();
  });

  test("a group that changed acts within a minute, and ends an open stream", async () => {
    const jar = open();
    await signIn(jar, "finn", { groups: ["staff"] });
    const { caller } = await visitorFrom(app.ctx, `svc_session=${jar.cookies.get("svc_session")}`);
    expect(await isStillAuthorized(caller, app.ctx)).toBe(true);
    provider.people.set("finn", { preferred_username: "finn", groups: ["design"] });
    app.clock.advance(minuteMicros);
    expect(await isStillAuthorized(caller, app.ctx)).toBe(false);
    expect(await whoIs(jar)).toEqual({ name: "finn", projects: ["atlas"] });
    provider.people.set("finn", { preferred_username: "finn", groups: [] });
    app.clock.advance(minuteMicros);
    expect(await whoIs(jar)).toBeNull();
    provider.people.set("finn", { preferred_username: "finn", groups: ["staff"] });
    app.clock.advance(minuteMicros);
    expect(await whoIs(jar)).toEqual({ name: "finn", projects: ["atlas", "borealis"] });
  });

  test("a person who is gone there is signed out here", async () => {
    const jar = open();
    await signIn(jar, "gone", { groups: ["staff"] });
    provider.people.delete("gone");
    app.clock.advance(minuteMicros);
    expect(await whoIs(jar)).toBeNull();
    provider.people.set("gone", { preferred_username: "gone", groups: ["staff"] });
    app.clock.advance(minuteMicros);
    expect(await whoIs(jar)).toBeNull();
  });

  test("is asked once a minute for each session, in the background where that is soon enough", async () => {
    const jar = open();
    await signIn(jar, "hana", { groups: ["staff"] });
    provider.asked.length = 0;
    for (let count = 0; count < 5; count++) await whoIs(jar);
    expect(provider.asked).toEqual([]);
    app.clock.advance(30 * secondMicros);
    await Promise.all([whoIs(jar), whoIs(jar), whoIs(jar)]);
    await until(() => provider.asked.length > 0, "the provider was asked");
    expect(await whoIs(jar)).not.toBeNull();
    expect(provider.asked).toEqual(["/me"]);
  });

  test("that does not answer keeps no one out for a quarter of an hour", async () => {
    const jar = open();
    await signIn(jar, "ida", { groups: ["staff"] });
    provider.isAsleep = true;
    try {
      app.clock.advance(14 * minuteMicros);
      expect((await whoIs(jar))?.name).toBe("ida");
      app.clock.advance(2 * minuteMicros);
      expect(await whoIs(jar)).toBeNull();
      expect((await jar.ask("/sign-in/oidc")).status).toBe(303); // the document is known
    } finally {
      provider.isAsleep = false;
    }
    app.clock.advance(minuteMicros);
    expect((await whoIs(jar))?.name).toBe("ida");
  });

  test("gives new tokens when the old ones are over", async () => {
    const jar = open();
    await signIn(jar, "jo", { groups: ["staff"] });
    app.clock.advance(61 * minuteMicros);
    provider.asked.length = 0;
    expect((await whoIs(jar))?.name).toBe("jo");
    expect(provider.asked).toContain("/token");
    app.clock.advance(61 * minuteMicros);
    expect((await whoIs(jar))?.name).toBe("jo");
  });

  test("each person keeps the name of their first sign-in, and no other gets it", async () => {
    await signIn(open(), "subject-1", { name: "kim" });
    const other = open();
    await signIn(other, "subject-2", { name: "kim" });
    expect((await whoIs(other))?.name).toBe("kim-2");
    const renamed = open();
    await signIn(renamed, "subject-1", { name: "dana" });
    expect((await whoIs(renamed))?.name).toBe("kim");
    await app.mint(["feed:read"], { name: "lea" });
    const besideToken = open();
    await signIn(besideToken, "subject-3", { name: "lea" });
    expect((await whoIs(besideToken))?.name).toBe("lea-2");
  });

  test("sign-out ends the session here, and leads on to the sign-out there", async () => {
    const jar = open();
    await signIn(jar, "max", { groups: ["staff"] });
    const session = jar.cookies.get("svc_session") as string;
    const out = await jar.submit("/projects", "/sign-out");
    expect(out.headers.get("location")).toBe("/sign-in?left");
    expect(await (await jar.ask("/sign-in?left")).text()).toContain("Sign out of Acme, too");
    const there = new URL((await jar.ask("/sign-in/oidc/sign-out")).headers.get("location") as string);
    expect(there.origin + there.pathname).toBe(`${provider.issuer}/session/end`);
    expect(there.searchParams.get("post_logout_redirect_uri")).toBe(`${site}/sign-in`);
    expect(there.searchParams.get("id_token_hint")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect((await fetch(there)).status).toBe(200);
    expect(await whoIs(openCookieJar(app, new Map([["svc_session", session]])))).toBeNull();
  });

  test("the tokens of the provider are not readable in the database", async () => {
    const jar = open();
    await signIn(jar, "nora", { groups: ["staff"] });
    const { identity } = (await app.ctx.data.session(await hashOf(jar))) ?? {};
    expect(identity).toMatch(/^[\w-]+$/);
    expect(Buffer.from(identity as string, "base64url").toString("latin1")).not.toContain("eyJ");
  });
});

const hashOf = async (jar: CookieJar): Promise<string> =>
  new Bun.CryptoHasher("sha256").update(jar.cookies.get("svc_session") as string).digest("hex");

test("without a provider nothing changes: no button, and its paths do not exist", async () => {
  const app = await openApp("sqlite");
  const jar = openCookieJar(app);
  expect(await (await jar.ask("/sign-in")).text()).not.toContain("/sign-in/oidc");
  for (const path of ["/sign-in/oidc", "/sign-in/oidc/callback?code=1&state=2", "/sign-in/oidc/sign-out"])
    expect((await jar.ask(path)).status).toBe(404);
  await app.close();
});
