/** The whole app with an identity provider, and browsers that sign in there. */

import { link, openApp } from "../app.ts";
import type { Dialect } from "../database/database.ts";
import { type CookieJar, openCookieJar } from "../http/cookie-jar.ts";
import { type Person, startIdentityProvider } from "./identity-provider.ts";

const site = "http://svc.test";

export type SingleSignOn = Awaited<ReturnType<typeof openSingleSignOn>>;

export async function openSingleSignOn(dialect: Dialect) {
  const provider = await startIdentityProvider(`${site}/sign-in/oidc/callback`, `${site}/sign-in`);
  const app = await openApp(dialect, {
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: "svc",
    SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
    SVC_OIDC_ACCESS: "admins=admin; design=reviewer@atlas; staff=reader",
    SVC_OIDC_LABEL: "Acme",
  });
  for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
  const begin = async (jar: CookieJar, next = "/") =>
    (await jar.ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`)).headers.get("location") as string;
  /** Signs in as a person of these groups. @returns the response of the callback */
  async function signIn(jar: CookieJar, login: string, fields: Person = {}) {
    provider.people.set(login, { preferred_username: login, groups: ["design"], ...fields });
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
  return {
    ...{ provider, app, signIn, whoIs },
    open: () => openCookieJar(app),
    async [Symbol.asyncDispose]() {
      await app.close();
      await provider[Symbol.asyncDispose]();
    },
  };
}
