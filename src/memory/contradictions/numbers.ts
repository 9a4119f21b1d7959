/** Numbers in a statement, in the base unit of what they measure, and whether they are limits. */
import { imperatives, nameOf, stemOf } from "./lexicon.ts";

export interface Quantity {
  value: number;
  /** What is measured, such as `s`, `byte`, `%`, or a counted noun; empty if the text does not say. */
  unit: string;
  bound: "most" | "least" | "exact";
  /** What it is the measure of, as in "a height of 32 px"; empty if the text does not say so. */
  attribute: string;
}

const words = [
  ..."zero one two three four five six seven eight nine ten".split(" "),
  ..."eleven twelve thirteen fourteen fifteen sixteen".split(" "),
];
const numberWords = new Map([
  ...words.map((word, value) => [word, value] as const),
  ...([
    ["twenty", 20],
    ["thirty", 30],
    ["forty", 40],
    ["fifty", 50],
    ["sixty", 60],
    ["ninety", 90],
  ] as const),
  ...([
    ["hundred", 100],
    ["once", 1],
    ["twice", 2],
  ] as const),
]);

const day = 86_400;
const units: Record<string, readonly [string, number]> = {};
const addUnits = (base: string, list: Record<string, number>): void => {
  for (const [names, factor] of Object.entries(list))
    for (const name of names.split(" ")) units[name] = [base, factor];
};
addUnits("s", {
  "ms millisecond milliseconds": 0.001,
  "s sec secs second seconds": 1,
  "min mins minute minutes": 60,
  "h hr hrs hour hours": 3600,
  "d day days": day,
  "week weeks": 7 * day,
  "month months": 30 * day,
  "quarter quarters": 91 * day,
  "year years": 365 * day,
});
addUnits("byte", {
  "byte bytes": 1,
  "kb kib kilobyte kilobytes": 1e3,
  "mb mib megabyte megabytes": 1e6,
  "gb gib gigabyte gigabytes": 1e9,
  "tb tib terabyte terabytes": 1e12,
});
addUnits("%", { "% percent": 1 });
addUnits("px", { "px pixel pixels": 1 });
for (const unit of ["fps", "dpi", "pt", "rem", "em", "mm", "cm", "km", "hz", "khz", "kbps"])
  addUnits(unit, { [unit]: 1 });

const measures = new Set([...Object.values(units).map(([base]) => base), "ratio", "date", "$", "€", "£"]);

const adverbs = new Map([
  ["immediately", 0],
  ["instantly", 0],
  ["hourly", 3600],
  ["daily", day],
  ["nightly", day],
  ["weekly", 7 * day],
  ["monthly", 30 * day],
]);
const months = "january february march april may june july august september october november december".split(
  " ",
);

const number = "\\d{1,3}(?:[, ]\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)*";
/** A number that is no part of a name, its unit, and what it is a rate of. */
const plain = [
  `(?<![\\p{L}\\p{N}._#/-])(?<plain>${number})(?![\\p{L}\\p{N}]*\\p{L}{5})`,
  "\\s?(?<unit>%|\\p{L}[\\p{L}-]*)?",
  "(?:(?:\\s(?:per|an?)\\s|\\s?\\/\\s?)(?<rate>\\p{L}+))?",
].join("");
/** Before a noun an adverb of time is part of a name: the weekly report. */
const noNoun = "(?!\\s+(?!(?:at|in|on|to|by|from|and|or|for|with)\\b)\\p{L})";
const quantity = new RegExp(
  [
    `(?<width>${number})\\s?[x×:]\\s?(?<height>${number})`,
    `(?<month>${months.join("|")}) (?<date>\\d{1,2})(?!\\d)`,
    `(?<sign>[$€£])\\s?(?<money>${number})`,
    plain,
    `\\b(?<word>${[...numberWords.keys()].join("|")})\\b[ -]?(?<counted>\\p{L}[\\p{L}-]*)?`,
    "\\bevery (?<period>(?:other )?(?:second|minute|hour|day|week|month|quarter|year))\\b",
    `\\b(?<adverb>${[...adverbs.keys()].join("|")})\\b${noNoun}`,
  ].join("|"),
  "giu",
);

/** These words, and at most a few others between them and the number. */
const before = (words: readonly string[], distance: number): RegExp =>
  new RegExp(`(?:${words.join("|")})(?:\\s\\S+){0,${distance}}\\s?$`, "iu");
const upper = before(
  [
    ...["at most", "max(?:imum|\\.)?", "up to", "under", "below", "within", "beyond", "capped at"],
    ...["(?:less|fewer|lower|shorter|smaller) than", "no more than", "not exceed"],
    "limit(?:ed)?(?: is| to|:| of)*",
  ],
  3,
);
const lower = before(
  [
    ...["at least", "min(?:imum|\\.)?", "over", "above", "requires?", "exceed"],
    ...["(?:more|longer|larger|greater|bigger|higher|later) than", "(?:no|not) (?:less|fewer) than"],
  ],
  2,
);
const later =
  /^\s?(?:or (?:later|more|newer|above|higher)|and (?:later|up|above)|\+|is (?:the|our) minimum)/iu;

const measuredBy = /(\p{L}+) of (?:(?:at (?:most|least)|up to|under|over|about) )?$/iu;

/** A quantity, and where in the text it is. */
export type FoundQuantity = Quantity & { from: number; to: number };

/** The quantities of a clause; of a version the unit is the name before it. */
export function quantitiesOf(clause: string): FoundQuantity[] {
  return [...clause.matchAll(quantity)].flatMap((match) => {
    const measured = measure(match.groups ?? {}, clause.slice(0, match.index));
    if (!measured) return [];
    const { length, ...rest } = measured;
    const to = match.index + (length ?? match[0].length);
    const before = clause.slice(Math.max(0, match.index - 40), match.index);
    const isLeast = later.test(clause.slice(to)) || lower.test(before);
    const bound = isLeast ? "least" : upper.test(before) ? "most" : "exact";
    const attribute = nameOf(stemOf((measuredBy.exec(before)?.[1] ?? "").toLowerCase()));
    return [{ ...rest, bound, attribute, from: match.index, to }];
  });
}

type Measured = Omit<Quantity, "bound" | "attribute"> & { length?: number };

const parse = (text: string): number => {
  const plain = text.replace(/[, ](?=\d{3})/g, "");
  const [major = "0", minor = "", ...rest] = plain.split(".");
  // Of a version, 5.10 comes after 5.9, and 1.2.3 is no number; what is compared is whether they are equal.
  return rest.length > 0 ? Number(`${major}${minor.padStart(3, "0")}.${rest.join("")}`) : Number(plain);
};

function measure(groups: Record<string, string | undefined>, before: string): Measured | null {
  const { width, height, month, date, sign, money, plain, unit, rate, word, counted, period, adverb } =
    groups;
  if (width !== undefined && height !== undefined)
    return { value: parse(width) + parse(height) / 1e5, unit: "ratio" };
  if (month !== undefined && date !== undefined)
    return { value: months.indexOf(month.toLowerCase()) * 100 + Number(date), unit: "date" };
  if (money !== undefined) return { value: parse(money), unit: sign as string };
  if (period !== undefined) {
    const [base, factor] = units[period.replace(/^other /i, "").toLowerCase()] as [string, number];
    return { value: /^other /i.test(period) ? 2 * factor : factor, unit: base };
  }
  if (adverb !== undefined) return { value: adverbs.get(adverb.toLowerCase()) as number, unit: "s" };
  if (plain !== undefined) return withUnit(parse(plain), plain, unit, rate, before);
  if (word === undefined) return null;
  if (/^one$/i.test(word) && /(?:no|any|some|every|each)\s*$/i.test(before)) return null;
  const measured = withUnit(numberWords.get(word.toLowerCase()) as number, word, counted, undefined, "");
  // "one of them", "a single one"
  return word.toLowerCase() === "one" && measured.unit === "" ? null : measured;
}

const name = /(?:^|\s)(\p{Lu}[\p{L}.]*|\p{Ll}+\p{Lu}\p{L}*)(?:\s(?:to|is|must be|version))*\s?v?$/u;
const noUnit =
  /^(?:for|in|on|of|or|and|to|the|is|are|a|an|as|at|by|per|from|with|must|when|if|until|before|after|because|instead|only|now)$/iu;

function withUnit(
  value: number,
  written: string,
  unit: string | undefined,
  rate: string | undefined,
  before: string,
): Measured {
  const known = unit && units[unit.toLowerCase()];
  if (known) return { value: value * known[1], unit: rate ? `${known[0]}/${rate}` : known[0] };
  const [, capitalized = ""] = name.exec(before) ?? [];
  const named = imperatives.has(capitalized.toLowerCase()) ? "" : capitalized;
  if (!unit || noUnit.test(unit))
    return { value, unit: named ? named.toLowerCase() : "", length: written.length };
  const counted = nameOf(stemOf(unit.toLowerCase()));
  if (counted === "time" || counted === "more") return { value, unit: "" };
  return {
    value,
    unit: rate ? `${counted}/${stemOf(rate.toLowerCase())}` : counted,
    length: written.length + 1 + unit.length,
  };
}

/** A bare number may count what the other one names, but is no time or size. */
const isComparable = (a: string, b: string): boolean =>
  a === b || (a === "" && isCounted(b)) || (b === "" && isCounted(a));
export const isCounted = (unit: string): boolean => !measures.has(unit);

/** Whether two quantities of one subject cannot both hold. */
export function excludes(a: Quantity, b: Quantity): boolean {
  if (!isComparable(a.unit, b.unit)) return false;
  if (Math.abs(a.value - b.value) < 1e-9) return false;
  if (a.bound === b.bound) return true;
  const [most, least] = [
    [a, b].find(({ bound }) => bound === "most"),
    [a, b].find(({ bound }) => bound === "least"),
  ];
  const exact = [a, b].find(({ bound }) => bound === "exact");
  if (most && least) return least.value > most.value;
  if (most && exact) return exact.value > most.value;
  return least !== undefined && exact !== undefined && exact.value < least.value;
}
