/** The time that a query names, such as "yesterday", "last week" or "in March". All times are UTC. */
import type { Micros } from "../../core/lib/time.ts";

export interface NamedTime {
  from: Micros;
  until: Micros;
  /** As the query writes it. */
  written: string;
  /** The query without the time, and without words that only ask what there was. */
  rest: string;
}

type Day = Temporal.PlainDate;
type Unit = "day" | "week" | "month" | "quarter" | "year";

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

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const monthNames =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|" +
  "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const weekdays = "mon tue wed thu fri sat sun".split(" ");
const units = "days?|weeks?|months?|quarters?|years?";

/** The last month of that name. */
function month([, name, year]: string[], today: Day): [Day, Day] {
  const number = months.indexOf((name as string).slice(0, 3).toLowerCase()) + 1;
  const ofYear = Number(year ?? (number > today.month ? today.year - 1 : today.year));
  return before("month", today.with({ day: 1, month: number, year: ofYear }), 0);
}

const unitOf = (text: string): Unit => text.toLowerCase().replace(/s$/, "") as Unit;

type Reading = (match: string[], today: Day) => [Day, Day];

const preposition = "(?:(?:in|on|of|from|since|during|over|within|for) )?(?:the )?";
const spaced = (words: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${preposition}(?:${words})(?!['’]?[\\p{L}\\p{N}])`, "iu");

/** What names a time, the longer phrases first. */
const readings: [RegExp, Reading][] = [
  [spaced("(\\d{4}-\\d{2}-\\d{2})"), ([, date]) => before("day", Temporal.PlainDate.from(date as string), 0)],
  [
    spaced(`(\\d{1,3}) (${units}) ago`),
    ([, count, unit], today) => before(unitOf(unit as string), today, Number(count)),
  ],
  [
    spaced(`(?:last|past|previous) (\\d{1,3}) (${units})`),
    ([, count, unit], today) => [
      after(unitOf(unit as string), today, -Number(count)),
      today.add({ days: 1 }),
    ],
  ],
  [spaced(`(?:last|previous) (${units})`), ([, unit], today) => before(unitOf(unit as string), today, 1)],
  [
    spaced(`past (${units})`),
    ([, unit], today) => [after(unitOf(unit as string), today, -1), today.add({ days: 1 })],
  ],
  [spaced(`this (${units})`), ([, unit], today) => before(unitOf(unit as string), today, 0)],
  [spaced(`(${monthNames}) (\\d{4})`), month],
  [
    new RegExp(`(?<![\\p{L}\\p{N}])(?:in|during|of|since) (${monthNames})(?!['’]?[\\p{L}\\p{N}])`, "iu"),
    month,
  ],
  [
    spaced("(?:last )?(mon|tues|wednes|thurs|fri|satur|sun)day"),
    ([, name], today) => {
      const number = weekdays.indexOf((name as string).slice(0, 3).toLowerCase()) + 1;
      const days = (today.dayOfWeek - number + daysInWeek) % daysInWeek || daysInWeek;
      return before("day", today, days);
    },
  ],
  [
    spaced("yesterday|gestern|hier|ayer|ieri|ontem|gisteren|igår|вчера"),
    (_, today) => before("day", today, 1),
  ],
  [/昨天|昨日|어제/, (_, today) => before("day", today, 1)],
  [
    spaced("today|heute|aujourd['’]hui|hoy|oggi|hoje|vandaag|idag|сегодня"),
    (_, today) => before("day", today, 0),
  ],
  [/今天|今日|오늘/, (_, today) => before("day", today, 0)],
  [
    spaced(
      "letzten? woche|vorigen? woche|la semaine (?:dernière|passée)|la semana pasada|semana passada|" +
        "(?:la )?settimana scorsa|прошлой неделе|прошлая неделя",
    ),
    (_, today) => before("week", today, 1),
  ],
  [/上周|上星期|先週|지난 ?주/, (_, today) => before("week", today, 1)],
  [
    spaced("letzten monat|le mois dernier|el mes pasado|il mese scorso|mês passado|прошлом месяце"),
    (_, today) => before("month", today, 1),
  ],
  [/上个月|上個月|先月|지난 ?달/, (_, today) => before("month", today, 1)],
];

/** Words that ask for everything there was. */
const asksForAll = new RegExp(
  "(?<!\\p{L})(?:what(?:['’]s)?|which|happen(?:s|ed|ing)?|events?|news?|changed?|changes|done|did|" +
    "was|were|been|going on|activity|everything|anything|all|updates?|recap|show|list|me|summary|" +
    "was ist|passiert|geschah|que s['’]est-il passé|qué pasó|" +
    "cosa è successo|o que aconteceu|что случилось|произошло)(?!\\p{L})|" +
    "发生了?什么|發生了?什麼|何が起き(?:た|ました)か?|무슨 일이",
  "giu",
);

/** The time that a query names; null if it names none. */
export function namedTime(query: string, now: Micros): NamedTime | null {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(now / millisMicros))
    .toZonedDateTimeISO("UTC")
    .toPlainDate();
  for (const [pattern, read] of readings) {
    const match = pattern.exec(query);
    if (!match) continue;
    try {
      const [from, until] = read(match, today).map(microsOf) as [Micros, Micros];
      return {
        from,
        until,
        written: match[0].trim(),
        rest: query.replace(match[0], " ").replace(asksForAll, " "),
      };
    } catch {
      return null; // no such day
    }
  }
  return null;
}

const microsOf = (day: Day): Micros => day.toZonedDateTime("UTC").epochMilliseconds * millisMicros;
