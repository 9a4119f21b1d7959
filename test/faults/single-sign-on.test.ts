/** People sign in in a browser with a real Gitea as their identity provider, and with `oidc-provider`. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserPath, openBrowser, openBrowserSession } from "../support/browser/browser.ts";
import { migratedDatabase, startServer, until } from "../support/harness.ts";
import { buildGitea, giteaVersion, startGitea } from "../support/servers/gitea.ts";
import { startIdentityProvider } from "../support/servers/identity-provider.ts";
import { freePort } from "../support/servers/proxy.ts";
import { scale } from "./promises.ts";

const built = scale === "suite" ? { missing: null } : await buildGitea();
if ("missing" in built && built.missing !== null)
  process.stderr.write(`Gitea ${giteaVersion} is not tested: ${built.missing}.\n`);

/** Opens svc with a provider. `signIn` goes there by its button, and `there` is what a person does there. */
async function useProvider(
  env: { SVC_OIDC_ISSUER: string } & Record<string, string>,
  port: number,
  work: (visit: (there: (page: Page) => Promise<void>) => Promise<Page>, origin: string) => Promise<void>,
): Promise<void> {
  await using database = await migratedDatabase("sqlite");
  await using server = await startServer(database, env, ["--port", String(port)]);
  const browser = await openBrowser();
  try {
    await using session = await openBrowserSession(browser, server.origin);
    const { page } = session;
    await work(async (there) => {
      await page.goto(`${server.origin}/memory`);
      await page.getByRole("link", { name: /^Sign in with / }).click();
      await there(page);
      await page.waitForURL(`${server.origin}/memory`);
      return page;
    }, server.origin);
  } finally {
    await browser.close();
  }
}

test.skipIf(!browserPath)("in a browser, with the forms of oidc-provider and its sign-out", async () => {
  const port = await freePort();
  const site = `http://127.0.0.1:${port}`;
  await using provider = await startIdentityProvider(`${site}/sign-in/oidc/callback`, `${site}/sign-in`);
  provider.people.set("dana", { preferred_username: "dana", groups: ["design"] });
  const env = {
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: "svc",
    SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
    SVC_OIDC_ACCESS: "design=reviewer",
    SVC_OIDC_LABEL: "Acme",
  };
  await useProvider(env, port, async (visit, origin) => {
    const page = await visit(async (there) => {
      await there.locator("input[name=login]").fill("dana");
      await there.locator("input[name=password]").fill("any");
      await there.locator("button[type=submit]").click();
      await there.getByRole("button", { name: "Continue" }).click();
    });
    expect(await page.locator(".who").textContent()).toBe("dana");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign out of Acme, too" }).click();
    await page.getByRole("button", { name: /^Yes/ }).click();
    await page.waitForURL(`${origin}/sign-in`);
  });
});

test.skipIf("missing" in built || !browserPath)(
  "with Gitea's teams as groups, until someone leaves theirs",
  async () => {
    await using gitea = await startGitea("folder" in built ? built.folder : "");
    const [ana] = [await gitea.addUser("ana"), await gitea.addUser("bob")];
    await gitea.call(ana, "POST", "/orgs", { username: "acme" });
    const team = await gitea.call<{ id: number }>(ana, "POST", "/orgs/acme/teams", {
      name: "design",
      permission: "read",
      units: ["repo.code"],
    });
    await gitea.call(ana, "PUT", `/teams/${team.id}/members/bob`);
    const port = await freePort();
    const app = await gitea.call<{ client_id: string; client_secret: string }>(
      ana,
      "POST",
      "/user/applications/oauth2",
      {
        name: "svc",
        redirect_uris: [`http://127.0.0.1:${port}/sign-in/oidc/callback`],
        confidential_client: true,
      },
    );
    const env = {
      SVC_OIDC_ISSUER: `${gitea.origin}/`,
      SVC_OIDC_CLIENT_ID: app.client_id,
      SVC_OIDC_CLIENT_SECRET: app.client_secret,
      SVC_OIDC_SCOPE: "openid profile email groups",
      SVC_OIDC_ACCESS: "acme:design=reviewer",
    };
    await useProvider(env, port, async (visit, origin) => {
      const page = await visit(async (there) => {
        await there.locator("input[name=user_name]").fill("bob");
        await there.locator("input[name=password]").fill("a long password");
        await there.locator("button.primary.button").first().click();
        await there.locator("#authorize-app").click();
      });
      expect(await page.locator(".who").textContent()).toBe("bob");
      await gitea.call(ana, "DELETE", `/teams/${team.id}/members/bob`);
      await until(
        async () => (await page.request.get(`${origin}/memory`)).status() === 401,
        "the team acts",
        90_000,
      );
    });
  },
  600_000,
);
