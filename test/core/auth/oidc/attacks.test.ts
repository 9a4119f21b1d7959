/** What someone could try against sign-in with OpenID Connect: none of it opens a session. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { callerOfIdentity, type Identity } from "../../../../src/core/auth/oidc/identity.ts";
import { readConfig } from "../../../../src/core/config.ts";
import { openApp, type TestApp } from "../../../support/app.ts";
import { type CookieJar, openCookieJar } from "../../../support/http/cookie-jar.ts";
import {
  type HostileProvider,
  hmacWith,
  startHostileProvider,
} from "../../../support/servers/hostile-provider.ts";

let provider: HostileProvider;
let app: TestApp;
const envOf = (issuer: string) => ({
  SVC_OIDC_ISSUER: issuer,
  SVC_OIDC_CLIENT_ID: "svc",
  SVC_OIDC_ACCESS: "staff=reader",
});
beforeAll(async () => {
  provider = startHostileProvider();
  app = await openApp("sqlite", envOf(provider.issuer));
});
afterAll(async () => {
  await app.close();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.token = {};
  provider.redeemed.length = 0;
  provider.userInfo = { sub: "mallory", preferred_username: "mallory", groups: ["staff"] };
});

const open = () => openCookieJar(app);
const begin = async (jar: CookieJar, next = "/") =>
  (await jar.ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`)).headers.get("location") as string;
const end = (jar: CookieJar, answer: URLSearchParams | string) => jar.ask(`/sign-in/oidc/callback?${answer}`);
async function signIn(jar = open()) {
  return end(jar, provider.answer(await begin(jar)));
}
/** A session was not opened, and the page says how to go on. */
async function expectRefused(response: Response, status = 401) {
  expect(response.status).toBe(status);
  expect(response.headers.getSetCookie().some((cookie) => cookie.startsWith("svc_session="))).toBe(false);
}

test("an honest sign-in works, so that what follows fails for its own reason", async () => {
  expect((await signIn()).status).toBe(303);
  expect(provider.redeemed[0]?.get("code_verifier")).toMatch(/^[\w~.-]{43,128}$/);
});

describe("cross-site requests", () => {
  test("a response to a sign-in that this browser did not begin is refused", async () => {
    const theirs = open();
    const answer = provider.answer(await begin(theirs));
    await expectRefused(await end(open(), answer));
    const mine = open();
    await begin(mine);
    await expectRefused(await end(mine, answer));
    expect(provider.redeemed).toEqual([]);
  });

  test("so is one without a state, or with another", async () => {
    const jar = open();
    const answer = provider.answer(await begin(jar));
    const withState = (state: string | null) => {
      const changed = new URLSearchParams(answer);
      changed.delete("state");
      if (state !== null) changed.set("state", state);
      return changed;
    };
    await expectRefused(await end(jar, withState(null)));
    await expectRefused(await end(jar, withState("guess")));
    await expectRefused(await end(jar, `${answer}&state=${answer.get("state")}`));
  });

  test("and one whose cookie was made elsewhere, changed, or is too old", async () => {
    const jar = open();
    const answer = provider.answer(await begin(jar));
    const cookie = jar.cookies.get("svc_oidc") as string;
    for (const forged of [`A${cookie.slice(1)}`, cookie.slice(0, -4), "e30", ""]) {
      jar.cookies.set("svc_oidc", forged);
      await expectRefused(await end(jar, answer));
    }
    jar.cookies.set("svc_oidc", cookie);
    app.clock.advance(11 * 60_000_000);
    await expectRefused(await end(jar, answer));
  });
});

describe("replay", () => {
  test("a response works once", async () => {
    const jar = open();
    const answer = provider.answer(await begin(jar));
    const cookies = new Map(jar.cookies);
    expect((await end(jar, answer)).status).toBe(303);
    await expectRefused(await end(jar, answer));
    await expectRefused(await end(openCookieJar(app, cookies), answer));
  });

  test("an ID token of another sign-in is refused: its nonce differs, or it has none", async () => {
    for (const nonce of ["another", undefined, ""]) {
      provider.token = { claims: { nonce } };
      await expectRefused(await signIn());
    }
  });
});

describe("mix-up", () => {
  test("a response that names another issuer, or none where one is promised, is refused", async () => {
    const jar = open();
    const other = provider.answer(await begin(jar), { iss: "https://other.example" });
    await expectRefused(await end(jar, other));
    const without = new URLSearchParams(provider.answer(await begin(jar)));
    without.delete("iss");
    await expectRefused(await end(jar, without));
    expect(provider.redeemed).toEqual([]);
  });

  test("so is an ID token of another issuer, for another client, or for several without saying which", async () => {
    for (const claims of [
      { iss: "https://other.example" },
      { aud: "another" },
      { aud: ["svc", "another"] },
      { aud: ["svc", "another"], azp: "another" },
    ]) {
      provider.token = { claims };
      await expectRefused(await signIn());
    }
  });

  test("and a discovery document of another issuer", async () => {
    const other = startHostileProvider();
    other.document = { issuer: provider.issuer };
    const their = await openApp("sqlite", envOf(other.issuer));
    expect((await openCookieJar(their).ask("/sign-in/oidc")).status).toBe(503);
    await their.close();
    await other[Symbol.asyncDispose]();
  });

  test("and user info of another person", async () => {
    provider.userInfo = { ...provider.userInfo, sub: "root" };
    await expectRefused(await signIn());
  });
});

test("a session of another provider ends when the configuration names a new one", async () => {
  const row = { hash: "", actor: "human:mallory", expires_at: 0 };
  const identity = { issuer: provider.issuer, groups: ["staff"] } as Identity;
  expect(callerOfIdentity(app.ctx, row, identity)?.role).toBe("reader");
  const config = readConfig(envOf("https://login.example.com"));
  expect(callerOfIdentity({ config }, row, identity)).toBeNull();
});

describe("downgrade", () => {
  test("an ID token without a signature, with that of another key, or with a shared secret is refused", async () => {
    const ofOther = startHostileProvider();
    const secret = JSON.stringify(await (await fetch(`${provider.issuer}/keys`)).json());
    for (const token of [
      { header: { alg: "none", kid: undefined }, sign: () => "" },
      { sign: () => "" },
      { sign: () => Buffer.alloc(256, 1).toString("base64url") },
      { header: { alg: "HS256" }, sign: hmacWith(secret) },
      { header: { alg: "HS256" }, sign: hmacWith("") },
    ]) {
      provider.token = token;
      await expectRefused(await signIn());
    }
    await ofOther[Symbol.asyncDispose]();
  });

  test("so is one that has expired, or is not yet made", async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const claims of [{ exp: now - 60 }, { iat: now + 3_600, nbf: now + 3_600 }, { exp: undefined }]) {
      provider.token = { claims };
      await expectRefused(await signIn());
    }
  });

  test("the proof key is always sent as a hash, and a code is of no use without it", async () => {
    const jar = open();
    const authorization = new URL(await begin(jar));
    expect(authorization.searchParams.get("code_challenge_method")).toBe("S256");
    expect(authorization.searchParams.get("response_type")).toBe("code");
    const other = open();
    const stolen = provider.answer(authorization.href).get("code") as string;
    const answer = provider.answer(await begin(other));
    answer.set("code", stolen);
    await expectRefused(await end(other, answer));
  });

  test("a provider without TLS is taken from this machine only", () => {
    for (const issuer of [
      "http://login.example.com",
      "ftp://login.example.com",
      "https://login.example.com?a=1",
    ])
      expect(() => readConfig(envOf(issuer))).toThrow("SVC_OIDC_ISSUER");
    expect(readConfig(envOf("https://login.example.com/realms/acme")).oidc?.label).toBe("login.example.com");
  });
});

test("after sign-in a browser stays on this site, whatever was asked for", async () => {
  for (const next of [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "/sign-out",
    `/${"a".repeat(5_000)}`,
  ]) {
    const jar = open();
    const response = await end(jar, provider.answer(await begin(jar, next)));
    expect(response.headers.get("location")).toBe("/");
  }
});

test("an error of the provider is not shown as if svc had said it", async () => {
  const jar = open();
  const state = new URL(await begin(jar)).searchParams.get("state") as string;
  const error = {
    error: "access_denied",
    error_description: "Call <b>0900</b>",
    state,
    iss: provider.issuer,
  };
  const response = await end(jar, new URLSearchParams(error));
  await expectRefused(response);
  expect(await response.text()).not.toContain("0900");
});

test("a sign-in takes the place of the session before, so a planted one is of no use", async () => {
  const jar = open();
  await signIn(jar);
  const planted = jar.cookies.get("svc_session") as string;
  await end(jar, provider.answer(await begin(jar)));
  expect(jar.cookies.get("svc_session")).not.toBe(planted);
  const old = openCookieJar(app, new Map([["svc_session", planted]]));
  expect((await old.ask("/projects")).status).toBe(401);
});

test("the provider may change its keys", async () => {
  provider.rotate();
  expect((await signIn()).status).toBe(303);
});
