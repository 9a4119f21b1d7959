/**
 * `bun test/screenshots.ts [name …]`: pictures of each page into /test/screenshots, light and dark, 390 and 1440 px wide.
 * For looking at; nothing is compared.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { browserPath, openBrowser, signIn, visit } from "./browser.ts";
import { openGallery } from "./gallery.ts";

const folder = join(import.meta.dir, "screenshots");
const asked = process.argv.slice(2);
const looks = (["light", "dark"] as const).flatMap((colorScheme) => [1440, 390].map((width) => ({ colorScheme, width })));

if (!browserPath) process.exit(1);
await mkdir(folder, { recursive: true });
const browser = await openBrowser();
const gallery = await openGallery(browser);
try {
  for (const { colorScheme, width } of looks) {
    await using visitor = await visit(browser, gallery.server.origin, { colorScheme, viewport: { width, height: 900 } });
    const { page, faults } = visitor;
    const shoot = async (name: string, address: string) => {
      if (asked.length > 0 && !asked.includes(name)) return;
      await page.goto(address, { waitUntil: "load" });
      if (name === "desk-pdf") await page.locator(".sheet.drawn").first().waitFor();
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    };
    await shoot("sign-in", "/sign-in");
    await signIn(page, gallery.token);
    for (const [name, address] of Object.entries(gallery.pages)) await shoot(name, address);
    for (const fault of faults) process.stderr.write(`${colorScheme} ${width}: ${fault}\n`);
  }
} finally {
  await gallery[Symbol.asyncDispose]();
  await browser.close();
}
process.stdout.write(`${folder}\n`);
