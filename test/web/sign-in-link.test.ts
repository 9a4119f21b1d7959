/** A sign-in link in a real browser: one key signs in, and it works without scripts. */
import { expect, test } from "bun:test";
import { browserPath, openBrowser, openBrowserSession } from "../support/browser/browser.ts";
import { freshDatabase, program, startServer, until } from "../support/harness.ts";

test.skipIf(!browserPath)(
  "the Enter key signs in with a link, and a used link leads to svc open",
  async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const browser = await openBrowser();
    try {
      for (const javaScriptEnabled of [true, false]) {
        const { output } = await program(["open"], { SVC_DATABASE_URL: database.url });
        await using session = await openBrowserSession(browser, server.origin, { javaScriptEnabled });
        const { page, faults } = session;
        await page.goto(output.trim());
        const button = page.getByRole("button", { name: /^Sign in as / });
        await until(
          async () => (await button.and(page.locator(":focus")).count()) === 1,
          "the button has focus",
        );
        await page.keyboard.press("Enter");
        await page.waitForURL(`${server.origin}/`);
        expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
        await page.goto(output.trim());
        expect(await page.getByRole("alert").textContent()).toContain("already used, has expired");
        expect(faults).toEqual([]);
      }
    } finally {
      await browser.close();
    }
  },
);
