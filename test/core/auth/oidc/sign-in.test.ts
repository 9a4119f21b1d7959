/** People sign in with OpenID Connect, and what changes at their provider acts here within a minute. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isStillAuthorized } from "../../../../src/core/auth/authentication.ts";
import { visitorFrom } from "../../../../src/core/auth/session/session.ts";
import { minuteMicros, secondMicros } from "../../../../src/core/lib/time.ts";
import { openApp } from "../../../support/app.ts";
import { dialects } from "../../../support/database/database.ts";
import { until } from "../../../support/harness.ts";
import { type CookieJar, openCookieJar } from "../../../support/http/cookie-jar.ts";
import { openSingleSignOn, type SingleSignOn } from "../../../support/servers/single-sign-on.ts";

const site = "http://svc.test";

describe.each(dialects)("on %s", (dialect) => {
  let at: SingleSignOn;
  beforeAll(async () => {
    at = await openSingleSignOn(dialect);
    ({ provider, app, open, signIn, whoIs } = at);
  });
  afterAll(() => at[Symbol.asyncDispose]());
  let { provider, app, open, signIn, whoIs } = {} as SingleSignOn;

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
    expect((await jar.ask("/settings/tokens")).status).toBe(403);
    const admin = open();
    await signIn(admin, "root-7", { groups: ["staff", "admins"], preferred_username: "rut" });
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
    await signIn(open(), "subject-1", { preferred_username: "kim" });
    const other = open();
    await signIn(other, "subject-2", { preferred_username: "kim" });
    expect((await whoIs(other))?.name).toBe("kim-2");
    const renamed = open();
    await signIn(renamed, "subject-1", { preferred_username: "dana" });
    expect((await whoIs(renamed))?.name).toBe("kim");
    await app.mint(["feed:read"], { name: "lea" });
    const besideToken = open();
    await signIn(besideToken, "subject-3", { preferred_username: "lea" });
    expect((await whoIs(besideToken))?.name).toBe("lea-2");
  });

  test("a verified email address finds the person and team of what they do, and acts once it is linked", async () => {
    const jar = open();
    await signIn(jar, "quin", { groups: ["admins"], email: "Quin@Example.com" });
    const visit = async () => {
      const cookie = `svc_session=${jar.cookies.get("svc_session")}`;
      const { person, team } = (await visitorFrom(app.ctx, cookie)).caller;
      return [person, team];
    };
    expect(await visit()).toEqual([undefined, undefined]);
    await app.ctx.data.atomically(async (writes) => {
      const person = {
        id: "quin-q",
        name: null,
        team: "maps",
        created_at: app.clock.now(),
        removed_at: null,
      };
      await writes.savePerson(person);
      await writes.linkIdentities("quin-q", ["email:quin@example.com"]);
    });
    expect(await visit()).toEqual(["quin-q", "maps"]);
    const set = { project: "atlas", key: "tone", value: "calm" };
    expect((await jar.submit("/projects", "/memory/preferences", set)).status).toBe(303);
    const [event] = await app.ctx.data.feed(null, { actor: "human:quin", limit: 1 });
    expect(JSON.parse(event?.wire as string)).toMatchObject({ person: "quin-q", team: "maps" });
    provider.people.set("quin", {
      preferred_username: "quin",
      groups: ["admins"],
      email: "quin@example.com",
      email_verified: false,
    });
    app.clock.advance(minuteMicros);
    expect(await visit()).toEqual([undefined, undefined]);
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
