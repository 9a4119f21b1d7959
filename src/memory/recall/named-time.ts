/** The time that a query names, such as "yesterday", "last week" or "in March". All times are UTC. */
import { lazy } from "../../core/lib/lazy.ts";
import type { Micros } from "../../core/lib/time.ts";
import { type TimeWords, timeWords } from "./time-words.ts";

export interface NamedTime {
  from: Micros;
  until: Micros;
  /** As the query writes it. */
  written: string;
  /** The query without the time, and without words that only ask what there was. */
  rest: string;
}

type Day = Temporal.PlainDate;

/** In the order in which languages name them. */
const units = ["day", "week", "month", "quarter", "year"] as const;
type Unit = (typeof units)[number];

const millisMicros = 1_000;
const daysInWeek = 7;
const monthsInQuarter = 3;

/** The day, week, month, quarter or year that a day is in. */
function start(unit: Unit, day: Day): Day {
  if (unit === "week") return day.subtract({ days: day.dayOfWeek - 1 });
  if (unit === "month") return day.with({ day: 1 });
  if (unit === "quarter") return day.with({ day: 1, month: day.month - ((day.month - 1) % monthsInQuarter) });
  return unit === "year" ? day.with({ day: 1, month: 1 }) : day;
}

const after = (unit: Unit, day: Day, count: number): Day => {
  if (unit === "quarter") return day.add({ months: count * monthsInQuarter });
  return day.add({ [`${unit}s`]: count });
};

/** A unit before the current one. */
const before = (unit: Unit, today: Day, count: number): [Day, Day] => {
  const from = after(unit, start(unit, today), -count);
  return [from, after(unit, from, 1)];
};

/** What a phrase names: its unit, weekday, and month count from 0. */
interface Named {
  number: number;
  unit: Unit;
  weekday: number;
  isOfWeekBefore: boolean;
  month: number;
  day: number;
  year: number | undefined;
}
type Read = (named: Named, today: Day) => [Day, Day];

/** The last month of that number; that of the named year, if there is one. */
const readMonth: Read = ({ month, year }, today) => {
  const ofYear = year ?? (month + 1 > today.month ? today.year - 1 : today.year);
  return before("month", today.with({ day: 1, month: month + 1, year: ofYear }), 0);
};

function readDate({ day, month, year }: Named, today: Day): [Day, Day] {
  const dateIn = (ofYear: number) =>
    Temporal.PlainDate.from({ year: ofYear, month: month + 1, day }, { overflow: "reject" });
  const date = dateIn(year ?? today.year);
  const isAhead = year === undefined && Temporal.PlainDate.compare(date, today) > 0;
  return before("day", isAhead ? dateIn(today.year - 1) : date, 0);
}

function readWeekday({ weekday, isOfWeekBefore }: Named, today: Day): [Day, Day] {
  if (isOfWeekBefore) return before("day", before("week", today, 1)[0].add({ days: weekday }), 0);
  const days = (today.dayOfWeek - 1 - weekday + daysInWeek) % daysInWeek || daysInWeek;
  return before("day", today, days);
}

/** By the phrases of a language; a phrase comes before those that it can begin or end with. */
const reads = {
  date: readDate,
  weekday: readWeekday,
  ago: ({ unit, number }, today) => before(unit, today, number),
  recent: ({ unit, number }, today) => [after(unit, today, -number), today.add({ days: 1 })],
  last: ({ unit }, today) => before(unit, today, 1),
  current: ({ unit }, today) => before(unit, today, 0),
  month: readMonth,
} as const satisfies Partial<Record<keyof TimeWords, Read>>;

/** One of some names, each in a group with its place. */
const oneOf = (group: string, names: readonly string[]): string =>
  `(?:${names.map((name, at) => `(?<${group}${at}>${name})`).join("|")})`;

const preposition = "(?:(?:in|on|of|from|since|during|over|within|for) )?(?:the )?";
const edges = ["(?<![\\p{L}\\p{N}])", "(?!['’]?[\\p{L}\\p{N}])"] as const;

function patternOf(phrase: string, { numbers, units, weekdays, months, isUnspaced }: TimeWords): RegExp {
  const parts: Record<string, string> = {
    n: `(?:(?<n>\\d{1,3})|${oneOf("n", numbers)})`,
    u: oneOf("u", units),
    w: oneOf("w", weekdays),
    m: oneOf("m", months),
    d: "(?<d>\\d{1,2})",
    y: "(?<y>\\d{4})",
  };
  const filled = phrase.replace(/\{([nuwmdy])\}/g, (_, name) => parts[name] as string);
  return new RegExp(isUnspaced ? filled : `${edges[0]}${preposition}(?:${filled})${edges[1]}`, "iu");
}

function namedBy(groups: Record<string, string | undefined>): Named {
  const found = Object.entries(groups).filter(([, text]) => text !== undefined);
  const placeOf = (group: string): number | undefined => {
    const name = found.find(([name]) => name.length > 1 && name.startsWith(group))?.[0];
    return name === undefined ? undefined : Number(name.slice(1));
  };
  const numberWord = placeOf("n");
  return {
    number: Number(groups.n ?? (numberWord === undefined ? 1 : numberWord + 1)),
    unit: units[placeOf("u") ?? 0] as Unit,
    weekday: placeOf("w") ?? 0,
    isOfWeekBefore: groups.p !== undefined,
    month: placeOf("m") ?? 0,
    day: Number(groups.d ?? 1),
    year: groups.y === undefined ? undefined : Number(groups.y),
  };
}

type Reading = [
  pattern: RegExp,
  read: (groups: Record<string, string | undefined>, today: Day) => [Day, Day],
];

const readingsOf = (language: TimeWords): Reading[] => [
  ...Object.entries(reads).map(
    ([name, read]): Reading => [
      patternOf(language[name as keyof typeof reads], language),
      (groups, today) => (read as Read)(namedBy(groups), today),
    ],
  ),
  ...language.days.map(
    ([words, ago]): Reading => [patternOf(words, language), (_, today) => before("day", today, ago)],
  ),
];

/** What a query in the language has, if it names a time. */
const hintOf = ({ days, units, weekdays, months }: TimeWords): RegExp =>
  new RegExp([...days.map(([words]) => words), ...units, ...weekdays, ...months].join("|"), "iu");

/** The readings of a language take 0.5 ms of CPU to compile: only those of languages that a query hints at. */
const languages = lazy(() =>
  timeWords.map((language) => ({ hint: hintOf(language), readings: lazy(() => readingsOf(language)) })),
);

const isoDate: Reading = [
  new RegExp(`${edges[0]}${preposition}(?<date>\\d{4}-\\d{2}-\\d{2})${edges[1]}`, "iu"),
  ({ date }) => before("day", Temporal.PlainDate.from(date as string), 0),
];

/** Words that ask for everything there was. */
const asksForAll = new RegExp(
  "(?<!\\p{L})(?:what(?:['’]s)?|which|happen(?:s|ed|ing)?|events?|news?|changed?|changes|done|did|do|we|" +
    "was|were|been|going on|activity|everything|anything|all|updates?|recap|show|list|me|summary|" +
    "was ist|passiert|passierte|geschah|wurden?|gemacht|getan|war|" +
    "que s['’]est-il passé|qu['’]a-t-on fait|qué (?:pasó|ocurrió|hicimos|se hizo)|" +
    "(?:che )?cosa (?:è successo|abbiamo fatto)|o que (?:aconteceu|fizemos)|" +
    "wat (?:gebeurde er|is er gebeurd|deden we)|что (?:случилось|произошло|сделали|было))(?!\\p{L})|" +
    "(?:发生|發生|做)了?(?:什么|什麼)|何が起き(?:た|ました)か?|何が?を?(?:あった|あり?ましたか|した|しましたか?)|" +
    "무슨 일이 ?(?:있었\\p{L}*|일어\\p{L}*)?|무엇을 했\\p{L}*",
  "giu",
);

/** In a longer query, a time is told beside what is asked. */
const lengthMax = 200;
/** In a short query, "yesterday's failure" names a time; elsewhere mostly a thing. */
const possessiveWordsMax = 5;

/** The time that a query names; null if it names none. */
export function namedTime(query: string, now: Micros): NamedTime | null {
  if (query.length > lengthMax) return null;
  const isShort = query.trim().split(/\s+/).length <= possessiveWordsMax;
  const text = isShort ? query.replace(/(?<=\p{L})['’]s(?=\s)/gu, "") : query;
  const spoken = languages()
    .filter(({ hint }) => hint.test(text))
    .flatMap(({ readings }) => readings());
  for (const [pattern, read] of [isoDate, ...spoken]) {
    const match = pattern.exec(text);
    if (!match) continue;
    try {
      const [from, until] = read(match.groups ?? {}, dayOf(now)).map(microsOf) as [Micros, Micros];
      const rest = text.replace(match[0], " ").replace(asksForAll, " ");
      return { from, until, written: match[0].trim(), rest };
    } catch {
      return null; // no such day
    }
  }
  return null;
}

const dayOf = (at: Micros): Day =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(at / millisMicros))
    .toZonedDateTimeISO("UTC")
    .toPlainDate();

const microsOf = (day: Day): Micros => day.toZonedDateTime("UTC").epochMilliseconds * millisMicros;
