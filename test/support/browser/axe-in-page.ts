/** The part of `axe.ts` that runs in a page: which elements axe checks there, and which repeat. */

interface Found {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What `addHelpers` adds to a page. */
export interface Tested {
  axe: {
    configure(spec: { rules: { id: string; selector: string }[] }): void;
    run(context: object, options: object): Promise<{ violations: Found[] }>;
  };
  isTooWide(): boolean;
  /** Removes what repeats. @returns the shapes of the blocks of text; none if no known ones are given */
  thin(known?: string[]): string[];
  survey(selector: string, wantsNew: boolean): Survey;
  /**
   * Violations of what the selector names, or of those of its new elements that have one of these hashes. The
   * color rules check the texts in these styles only, and what is around `main` is checked if it has one of
   * the hashes in `around`.
   */
  violations(
    selector: string,
    options: object,
    styles: string[],
    around: string[],
    hashes?: string[],
  ): Promise<Found[]>;
  /** Puts another document of the site in the place of this one. */
  show(address: string): Promise<void>;
}

/** What a page shows in one mode and width. */
interface Survey {
  isTooWide: boolean;
  /** The styles of the visible texts. */
  styles: string[];
  /** Hashes of the elements that were not visible at the last check by every rule; none if not wanted. */
  newElements: string[];
  /** Hashes of what is around `main`: on most pages the same header and footer. */
  around: string[];
}

/** Runs in the page, so it uses nothing from outside. */
export function addHelpers(): void {
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

  page.show = async (address) => {
    const next = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
    document.title = next.title;
    document.body.replaceWith(document.adoptNode(next.body));
  };
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
    if (!known) return [];
    const blocks = [...document.querySelectorAll("main :is(p, ul, ol, dl, table, pre, details, li, tr)")];
    const times = new Map(known.map((shape) => [shape, 2]));
    for (const one of blocks) {
      const count = (times.get(shapeOf(one)) ?? 0) + 1;
      times.set(shapeOf(one), count);
      if (count > 2) one.remove();
    }
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
      around: aroundMain().map((one) => hashOf(one.outerHTML)),
    };
  };
  const aroundMain = () => [...document.querySelectorAll("body > :not(main)")];
  page.violations = async (selector, options, styles, around, hashes) => {
    const include = hashes
      ? newIn(selector).filter((one) => hashes.includes(hashOf(one.outerHTML)))
      : [...document.querySelectorAll(selector)];
    for (const [one, style] of texts) one.toggleAttribute("data-restyled", styles.includes(style));
    if (!hashes && !("runOnly" in options)) seen = new Set(visibleIn("html"));
    const exclude = aroundMain().filter(
      (one) => !around.includes(hashOf(one.outerHTML)) && !one.querySelector("[data-restyled]"),
    );
    return include.length > 0 ? (await page.axe.run({ include, exclude }, options)).violations : [];
  };
}
