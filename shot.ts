import { chromium } from "playwright-core";
import { browserPath } from "./test/support/browser.ts";
const [base, link, prefix = "inbox", path = "/inbox"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: browserPath! });
const state = "/tmp/inbox-state.json";
const ctx0 = await browser.newContext(await Bun.file(state).exists() ? { storageState: state } : {});
const p0 = await ctx0.newPage();
if (link !== "-") { await p0.goto(link!); await p0.getByRole("button", { name: /sign in/i }).click(); await p0.waitForLoadState(); await ctx0.storageState({ path: state }); }
for (const colorScheme of ["light", "dark"] as const) for (const width of [390, 1400]) {
  const c = await browser.newContext({ storageState: state, viewport: { width, height: 844 }, colorScheme });
  const p = await c.newPage();
  const errors: string[] = [];
  p.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  p.on("pageerror", (e) => errors.push(String(e)));
  await p.goto(base + path!); await p.waitForTimeout(800);
  if (prefix === "inbox-menu") await p.locator("details.snooze summary").nth(1).click();
  await p.screenshot({ path: `/tmp/shots-inbox/${prefix}-${width}-${colorScheme}.png` });
  console.log(width, colorScheme, await p.title(), await p.evaluate("document.documentElement.scrollWidth"), errors);
  await c.close();
}
await browser.close();
