/** Runs axe on the pages of a browser, in light and dark mode, on a wide and a narrow window. */
import type { Browser, Page } from "playwright-core";
import { openSession } from "../test-server.ts";
import { type BrowserSession, openBrowserSession } from "./browser.ts";

/** Half the size of `axe.source`, which each page has to parse. */
const axe = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

interface Found {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

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

/** What the script below adds to a page. */
interface Tested {
  axe: {
    configure(spec: { rules: { id: string; selector: string }[] }): void;
    run(context: object, options: object): Promise<{ violations: Found[] }>;
  };
  isTooWide(): boolean;
  /** Removes what repeats. @returns the shapes of the blocks of text that it left */
  thin(known: string[]): string[];
  survey(selector: string, wantsNew: boolean): Survey;
  /**
   * Violations of what the selector names, or of those of its new elements that have one of these hashes. The
   * color rules check the texts in these styles only.
   */
  violations(selector: string, options: object, styles: string[], hashes?: string[]): Promise<Found[]>;
}

/** What a page shows in one mode and width. */
interface Survey {
  isTooWide: boolean;
  /** The styles of the visible texts. */
  styles: string[];
  /** Hashes of the elements that were not visible at the last check by every rule; none if not wanted. */
  newElements: string[];
}

/** Runs in the page, so it uses nothing from outside. */
function addHelpers(): void {
  const page = window as unknown as Tested;
  let seen = new Set<Element>();
  const isVisible = (one: Element) =>
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const visibleIn = (selector: string) =>
    [...document.querySelectorAll(selector)]
      .flatMap((one) => [one, ...one.querySelectorAll("*")])
      .filter(isVisible);
  const hasText = (one: Element) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()) ||
    ["INPUT", "SELECT", "TEXTAREA"].includes(one.tagName);

  /** What an element is painted on. */
  const grounds = new Map<Element | null, string>([[null, ""]]);
  function groundOf(one: Element | null): string {
    const known = grounds.get(one);
    if (known !== undefined) return known;
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one as Element);
    const own = `${backgroundColor} ${backgroundImage} ${opacity}`;
    const ground = groundOf((one as Element).parentElement);
    const painted = own === "rgba(0, 0, 0, 0) none 1" ? ground : hashOf(ground + own);
    grounds.set(one, painted);
    return painted;
  }

  /** What its contrast depends on; for a link, also the text around it. */
  function styleOf(one: Element): string {
    const [own, around] = [one, one.parentElement ?? one].map((element) => getComputedStyle(element));
    const { color, fontSize, fontWeight, textShadow, textDecorationLine } = own as CSSStyleDeclaration;
    const link = one.tagName === "A" && [textDecorationLine, around?.color, around?.fontWeight];
    return hashOf([groundOf(one), color, fontSize, fontWeight, textShadow, link, isPositioned(one)].join());
  }

  /** It may stand on something else than its ancestors. */
  const isPositioned = (one: Element | null): string =>
    one && /absolute|fixed|sticky/.test(getComputedStyle(one).position) ? `${one.className}` : "";

  /** FNV-1a, twice: equal styles are as rare as they have to be. */
  function hashOf(text: string): string {
    let [one, other] = [0x811c9dc5, 0x01000193];
    for (let index = 0; index < text.length; index++) {
      one = Math.imul(one ^ text.charCodeAt(index), 0x01000193);
      other = Math.imul(other ^ text.charCodeAt(index), 0x85ebca6b);
    }
    return `${one >>> 0}.${other >>> 0}`;
  }

  const shapes = new Map<Element, string>();
  /** All that a rule or a style sheet looks at: everything but the wording. */
  function shapeOf(one: Element): string {
    const known = shapes.get(one);
    if (known !== undefined) return known;
    const attributes = [...one.attributes].map(({ name, value }) =>
      /^(class|role|type|rel|tabindex|data-state|aria-(current|pressed|hidden|live))$/.test(name)
        ? `${name}=${value}`
        : `${name}${value && "+"}`,
    );
    const inner = [...one.childNodes].map((node) =>
      node.nodeType === 1 ? shapeOf(node as Element) : node.nodeValue?.trim() ? "text" : "",
    );
    const style = hasText(one) ? styleOf(one) : "";
    const shape = hashOf([one.tagName, ...attributes.toSorted(), style, ...inner].join());
    shapes.set(one, shape);
    return shape;
  }

  page.isTooWide = () => document.documentElement.scrollWidth > innerWidth;
  page.thin = (known) => {
    shapes.clear();
    // Labels stay with their fields, cells with their rows, and terms with what explains them.
    const alone = "body :not(input, label, select, textarea, button, dt, dd, h1, h2, h3, h4, th, td)";
    const counts = new Map<Element | null, Map<string, number>>();
    for (const one of document.querySelectorAll(alone)) {
      const siblings = counts.get(one.parentElement) ?? new Map<string, number>();
      counts.set(one.parentElement, siblings);
      const count = (siblings.get(shapeOf(one)) ?? 0) + 1;
      siblings.set(shapeOf(one), count);
      if (count > 2) one.remove();
    }
    const before = new Set(known);
    const blocks = [...document.querySelectorAll("main :is(p, ul, ol, dl, table, pre, details, li, tr)")];
    for (const one of blocks) if (before.has(shapeOf(one))) one.remove();
    return blocks.map(shapeOf);
  };
  const topsOf = (elements: Element[]) => {
    const all = new Set(elements);
    return elements.filter((one) => !one.parentElement || !all.has(one.parentElement));
  };
  const newIn = (selector: string) => topsOf(visibleIn(selector).filter((one) => !seen.has(one)));

  page.axe.configure({
    rules: [
      { id: "color-contrast", selector: "[data-restyled]" },
      { id: "link-in-text-block", selector: "a[href][data-restyled]" },
    ],
  });
  /** The visible texts by their style, at the last survey. */
  let texts: [Element, string][] = [];
  page.survey = (selector, wantsNew) => {
    for (const one of document.querySelectorAll("[data-restyled]")) one.removeAttribute("data-restyled");
    grounds.clear();
    grounds.set(null, "");
    texts = visibleIn(selector)
      .filter(hasText)
      .map((one) => [one, styleOf(one)]);
    return {
      isTooWide: page.isTooWide(),
      styles: [...new Set(texts.map(([, style]) => style))],
      newElements: wantsNew ? newIn(selector).map((one) => hashOf(one.outerHTML)) : [],
    };
  };
  page.violations = async (selector, options, styles, hashes) => {
    const include = hashes
      ? newIn(selector).filter((one) => hashes.includes(hashOf(one.outerHTML)))
      : [...document.querySelectorAll(selector)];
    for (const [one, style] of texts) one.toggleAttribute("data-restyled", styles.includes(style));
    if (!hashes && !("runOnly" in options)) seen = new Set(visibleIn("html"));
    return include.length > 0 ? (await page.axe.run({ include }, options)).violations : [];
  };
}

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
    const list = await page.evaluate(
      ([selector, options, styles, hashes]) =>
        (window as unknown as Tested).violations(selector, options, styles, hashes),
      [selector, options, styles, hashes] as const,
    );
    for (const { id, nodes } of list)
      found.push(
        ...nodes.map((node) => `${id}, ${colorScheme}, ${width} px: ${node.html} ${node.failureSummary}`),
      );
  }
  return found;
}

/**
 * Removes from the current page what repeats: of equal rows, two stay, and of the blocks of text none that is
 * equal to one in `blocks`, to which it adds the others. Axe needs a second for a hundred rows.
 *
 * @returns the widths in which the whole page is wider than its window
 */
export async function thinPage(page: Page, blocks: Set<string>): Promise<string[]> {
  const found: string[] = [];
  for (const width of [firstViewport.width, ...checks.map((check) => check.width)].slice(0, 2)) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
    if (await page.evaluate(() => (window as unknown as Tested).isTooWide()))
      found.push(`${width} px: the page is wider than its window`);
  }
  const left = await page.evaluate((known) => (window as unknown as Tested).thin(known), [...blocks]);
  for (const shape of left) blocks.add(shape);
  return found;
}
