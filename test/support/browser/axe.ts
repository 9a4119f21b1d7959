/** Runs axe on the pages of a browser, in light and dark mode, on a wide and a narrow window. */
import type { Browser, Page } from "playwright-core";
import { openSession } from "../test-server.ts";
import { addHelpers, type Tested } from "./axe-in-page.ts";
import { type BrowserSession, openBrowserSession } from "./browser.ts";

/** Half the size of `axe.source`, which each page has to parse. */
const axe = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** Frames hold uploaded pages, which are not tested. No style sheet is fetched again. */
const ours = { resultTypes: ["violations"], iframes: false, preload: false };
/** The target size rule of WCAG 2.2 is off by default in axe. */
const everyRule = { ...ours, rules: { "target-size": { enabled: true } } };
const colorRules = ["color-contrast", "link-in-text-block"];
const positionRules = ["target-size", "scrollable-region-focusable"];

interface Check {
  colorScheme: "light" | "dark";
  width: number;
  options: object;
  /**
   * `new`: only elements that the first width did not show, and no page before; `restyled`: only if there is
   * a text in a new style.
   */
  only?: "new" | "restyled";
}

/**
 * A page is loaded once, in light mode on a wide window. Contrast depends on the mode and on the style of a
 * text, positions on the width and not on the mode: so each combination runs the rules that can break in it.
 * Contrast is half of what axe computes and most texts look like one that was checked before, so it is
 * computed once for every style. The last combination is the one that the next page is loaded in: a new width
 * lays out and draws the whole page.
 */
const checks: Check[] = [
  { colorScheme: "light", width: 320, options: everyRule },
  { colorScheme: "dark", width: 320, options: { ...ours, runOnly: colorRules }, only: "restyled" },
  { colorScheme: "dark", width: 1440, options: { ...ours, runOnly: [...colorRules, ...positionRules] } },
  { colorScheme: "light", width: 1440, options: everyRule, only: "new" },
];
const firstViewport = { width: 1440, height: 900 };

/** Opens a browser context in whose pages `violationsOf` works. @param token signed in with; null: nobody is */
export async function openAxeSession(
  browser: Browser,
  site: string,
  token: string | null,
): Promise<BrowserSession> {
  const session = await openBrowserSession(browser, site, {
    reducedMotion: "reduce",
    viewport: firstViewport,
    cookies: token === null ? [] : await openSession(site, token),
  });
  // Frames hold uploaded pages, which need none of it.
  await session.page.addInitScript(`if (self === top) { ${axe}\n(${addHelpers})(); }`);
  return session;
}

/** Returns which of the keys it did not get before. */
export type Memory = (keys: string[]) => string[];

export function memory(): Memory {
  const known = new Set<string>();
  return (keys) => {
    const unknown = keys.filter((key) => !known.has(key));
    for (const key of unknown) known.add(key);
    return unknown;
  };
}

/** What was checked on the pages before. */
export interface Checked {
  light: Memory;
  dark: Memory;
  newElements: Memory;
  around: Memory;
}

/**
 * The violations of the current page, or of a part of it, in every color scheme and width, as readable
 * messages.
 */
export async function violationsOf(page: Page, checked: Checked, selector = "html"): Promise<string[]> {
  const found: string[] = [];
  for (const { width, colorScheme, options, only } of checks) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const shown = await page.evaluate(
      ([part, wantsNew]) => (window as unknown as Tested).survey(part, wantsNew),
      [selector, only === "new"] as const,
    );
    if (shown.isTooWide) found.push(`${width} px: the page is wider than its window`);
    const styles = checked[colorScheme](shown.styles);
    const hashes = only === "new" ? checked.newElements(shown.newElements) : undefined;
    if (hashes?.length === 0 || (only === "restyled" && styles.length === 0)) continue;
    const look = `${colorScheme} ${width} `;
    const around = checked.around(shown.around.map((hash) => look + hash));
    const list = await page.evaluate(
      ([selector, options, styles, around, hashes]) =>
        (window as unknown as Tested).violations(selector, options, styles, around, hashes),
      [selector, options, styles, around.map((key) => key.slice(look.length)), hashes] as const,
    );
    for (const { id, nodes } of list)
      found.push(
        ...nodes.map((node) => `${id}, ${colorScheme}, ${width} px: ${node.html} ${node.failureSummary}`),
      );
  }
  return found;
}

/**
 * Shows another page of the same site without loading it: axe and the style sheets stay, and none of its
 * scripts runs. That takes a fifth of the time of a load.
 */
export const showDocument = (page: Page, address: string): Promise<void> =>
  page.evaluate((other) => (window as unknown as Tested).show(other), address);

/**
 * Removes from the current page what repeats: of equal rows, two stay. Axe needs a second for a hundred.
 *
 * @param prose where it is given, two of equal blocks of text stay as well, and none that is in it: it gets
 * the others
 * @returns the widths in which the whole page is wider than its window
 */
export async function thinPage(page: Page, prose?: Set<string>): Promise<string[]> {
  const found: string[] = [];
  for (const width of [firstViewport.width, ...checks.map((check) => check.width)].slice(0, 2)) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
    if (await page.evaluate(() => (window as unknown as Tested).isTooWide()))
      found.push(`${width} px: the page is wider than its window`);
  }
  const blocks = await page.evaluate(
    (known) => (window as unknown as Tested).thin(known),
    prose && [...prose],
  );
  for (const shape of blocks) prose?.add(shape);
  return found;
}
