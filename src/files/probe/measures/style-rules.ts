/** The style sheets of a page, as far as they decide colors: simple selectors, and no condition. */

export interface StyledElement {
  tag: string;
  id: string;
  classes: readonly string[];
}

interface Rule {
  /** From the element itself to its ancestors. */
  compounds: Compound[];
  specificity: number;
  declarations: [property: string, value: string][];
}

interface Compound {
  tag: string | null;
  ids: string[];
  classes: string[];
}

/** Only these matter here; a variable is kept for what uses it. */
const isOfColor = (property: string): boolean =>
  /^(?:--|color$|background|fill$|opacity$|fill-opacity$|display$|visibility$)/.test(property);

export const declarationsOf = (css: string): [string, string][] =>
  css.split(";").flatMap((declaration) => {
    const [, name = "", value = ""] =
      /^\s*([\w-]+)\s*:\s*(.+?)\s*(?:!important)?\s*$/s.exec(declaration) ?? [];
    const property = name.startsWith("--") ? name : name.toLowerCase();
    return value && isOfColor(property) ? [[property, value] as [string, string]] : [];
  });

/** The rules of a style sheet in their order; those within `@media` and its like apply only sometimes. */
export function parseRules(css: string): Rule[] {
  const rules: Rule[] = [];
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/@[\w-]+[^;{}]*;/g, "");
  for (let at = 0; at < plain.length; ) {
    const open = plain.indexOf("{", at);
    if (open < 0) break;
    const prelude = plain.slice(at, open).trim();
    const close = blockEnd(plain, open);
    const declarations = prelude.startsWith("@") ? [] : declarationsOf(plain.slice(open + 1, close));
    if (declarations.length > 0)
      for (const selector of prelude.split(",")) {
        const compounds = compoundsOf(selector.trim());
        if (compounds) rules.push({ compounds, specificity: specificityOf(compounds), declarations });
      }
    at = close + 1;
  }
  return rules;
}

function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    if (css[at] === "{") depth++;
    else if (css[at] === "}" && --depth === 0) return at;
  }
  return css.length;
}

/** Null for a selector with a state, an attribute, or a sibling. */
function compoundsOf(selector: string): Compound[] | null {
  const parts = selector
    .replace(/\s*>\s*/g, " ")
    .replaceAll(":root", "html")
    .split(/\s+/)
    .filter(Boolean);
  const compounds = parts.map((part): Compound | null => {
    const [, tag, rest = ""] = /^(\*|[a-z][\w-]*)?((?:[.#][\w-]+)*)$/i.exec(part) ?? [];
    if (tag === undefined && rest === "") return null;
    const named = rest.match(/[.#][\w-]+/g) ?? [];
    const withSign = (sign: string) => named.filter((name) => name[0] === sign).map((name) => name.slice(1));
    return {
      tag: !tag || tag === "*" ? null : tag.toLowerCase(),
      ids: withSign("#"),
      classes: withSign("."),
    };
  });
  return compounds.length > 0 && compounds.every((one) => one !== null)
    ? (compounds as Compound[]).toReversed()
    : null;
}

const specificityOf = (compounds: readonly Compound[]): number =>
  compounds.reduce(
    (sum, { tag, ids, classes }) => sum + ids.length * 10_000 + classes.length * 100 + (tag ? 1 : 0),
    0,
  );

/** What applies to an element, the strongest last. @param path the element and its ancestors, from within */
export const declarationsFor = (rules: readonly Rule[], path: readonly StyledElement[]): [string, string][] =>
  rules
    .filter(({ compounds }) => matches(compounds, path))
    .toSorted((a, b) => a.specificity - b.specificity)
    .flatMap(({ declarations }) => declarations);

function matches(
  [own, ...others]: readonly Compound[],
  [element, ...ancestors]: readonly StyledElement[],
): boolean {
  if (!own || !element || !isOf(own, element)) return false;
  let at = 0;
  for (const compound of others) {
    while (at < ancestors.length && !isOf(compound, ancestors[at] as StyledElement)) at++;
    if (at++ >= ancestors.length) return false;
  }
  return true;
}

const isOf = ({ tag, ids, classes }: Compound, element: StyledElement): boolean =>
  (tag === null || tag === element.tag) &&
  ids.every((id) => id === element.id) &&
  classes.every((name) => element.classes.includes(name));
