/** Demo data for mock mode: a recorded month of a fictional team, moved so that it ends now. */
import type { Data } from "../src/api/port.ts";
import { dayMicros, dayOf, fromMicros, type Micros, minuteMicros, toMicros } from "../src/core/lib/time.ts";
import type { ExportedRow } from "../src/core/maintenance.ts";
import { budgetNotice } from "../src/feed/budgets/notice.ts";
import { startsOn, thresholdOf } from "../src/feed/budgets/spending.ts";
import type { BudgetRow } from "../src/feed/rows.ts";
import type { Event } from "../src/feed/schema.ts";
import type { NewDeliveryRow } from "../src/integrations/rows.ts";
import type { AssetRow } from "../src/library/rows.ts";
import { mediaObjects } from "./demo/media.ts";
import month from "./demo/month.ndjson.zst" with { type: "file" };

const batchLength = 250;
/** What the deployment has by then. */
const own = ["settings", "tokens", "audit"];

interface Demo {
  now: Micros;
  lanes: readonly string[];
}

/** Inserts the demo data; the same `now` gives the same rows. @returns the asset files by storage key */
export async function fillDemo(data: Data, demo: Demo): Promise<Map<string, Blob>> {
  const tables = await readMonth(demo);
  await data.snapshot(async (all) => {
    for (const table of own)
      for await (const page of all.rows(table)) tables.set(table, [...(tables.get(table) ?? []), ...page]);
  });
  // safe because: these are rows of these tables
  const deliveries = tables.get("webhook_deliveries") as unknown as NewDeliveryRow[];
  const assets = tables.get("assets") as unknown as AssetRow[];
  tables.delete("webhook_deliveries");
  await data.replaceAllRows(async (rows) => {
    for (const [table, all] of tables)
      for (let start = 0; start < all.length; start += batchLength)
        await rows.put(table, all.slice(start, start + batchLength));
  });
  await data.atomically(async (writes) => {
    for (const row of deliveries) await writes.addDelivery(row);
  });
  return mediaObjects(assets);
}

/** The rows of each table. A line is a table and a row, as in a backup; the first is when it was made. */
async function readMonth({ now, lanes }: Demo): Promise<Map<string, ExportedRow[]>> {
  const recording = Bun.zstdDecompressSync(await Bun.file(month).bytes()).toString();
  const recordedAt = JSON.parse(recording.slice(0, recording.indexOf("\n"))).recorded_at as Micros;
  // A lane past the end becomes the last one.
  const text = moveTimes(recording, recordedAt, now).replace(
    /⟨(\d)⟩/g,
    (_, place) => lanes[place] ?? (lanes.at(-1) as string),
  );
  const tables = new Map<string, ExportedRow[]>();
  for (const line of text.trimEnd().split("\n").slice(1)) {
    const [table, row] = JSON.parse(line) as [string, ExportedRow];
    if (Array.isArray(row.lanes)) row.lanes = [...new Set(row.lanes)];
    const rows = tables.get(table);
    if (rows) rows.push(row);
    else tables.set(table, [row]);
  }
  tables.set("rollups", sumRollups(tables.get("rollups") ?? []));
  setBudgets(tables, now);
  return tables;
}

/** Two lanes that became one share their sums. */
function sumRollups(rows: ExportedRow[]): ExportedRow[] {
  const groups = Map.groupBy(rows, ({ project, day, lane, model }) =>
    JSON.stringify([project, day, lane, model]),
  );
  return [...groups.values()].map((group) =>
    group.reduce((sum, row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === "number" ? value + (sum[name] as number) : value,
        ]),
      ),
    ),
  );
}

/** @param tables changes their budgets, periods, and notices */
function setBudgets(tables: Map<string, ExportedRow[]>, now: Micros): void {
  const month = startsOn(dayOf(now)).month;
  // safe because: these are rows of these tables
  const budgets = tables.get("budgets") as unknown as BudgetRow[];
  const events = (tables.get("events") as unknown as { wire: string }[])
    .map((row) => ({ row, event: JSON.parse(row.wire) as Event }))
    .filter(({ event }) => event.ts >= month);
  for (const budget of budgets) {
    const own = events.filter(({ event }) => event.project === (budget.project ?? event.project));
    const spentUntil = (end: string) =>
      own.reduce((sum, { event }) => sum + (event.ts < end ? event.cost_equiv : 0), 0);
    const spent = spentUntil("9");
    const share = budget.project ? 0.83 : 0.45;
    if (spent > 0) budget.amount = Math.floor(spent / share) || spent / share;
    budget.since = month;
    const period = tables.get("budget_periods")?.find((row) => row.budget === budget.id);
    Object.assign(period ?? {}, { start: month, spent, notified: thresholdOf(spent, budget.amount) });
    for (const { row, event } of own)
      if (event.kind === "budget.reached" && budget.project && spentUntil(event.ts) > 0)
        row.wire = JSON.stringify({ ...event, summary: budgetNotice(budget, spentUntil(event.ts)).summary });
  }
}

const hour = 60 * minuteMicros;
/** The end of the recording, which moves to now as it is: an agent is at work. */
const recent = 3 * hour;
/** Before it, each working day moves as a whole, from the evening before to its own. */
const dayStart = -2 * hour;
const dayEnd = 21 * hour;
const workingDays = 20;

/** 2020 to 2027 in microseconds: no other number of the recording is as large. */
const micros = /\b1[67]\d{14}\b/g;
const dates = /\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d\.\d{6}Z)?)?/g;
const dateLength = 10;

/**
 * Moves every time in the text of a recording, in numbers and in words, so that it ends now, and keeps the
 * hours of the team (UTC).
 */
function moveTimes(text: string, recordedAt: Micros, now: Micros): string {
  const move = timeline(recordedAt, now);
  const recorded = new Set([
    ...Array.from(text.matchAll(micros), ([time]) => Number(time)),
    ...Array.from(text.matchAll(dates), ([time]) => (time.endsWith("Z") ? toMicros(time) : 0)),
  ]);
  const moved = new Map<Micros, Micros>();
  let last = 0;
  // Times of different events stay different, also where a weekend became an evening.
  for (const time of [...recorded].sort((a, b) => a - b))
    moved.set(time, (last = Math.max(last + 1, move(time))));
  return text
    .replace(micros, (time) => String(moved.get(Number(time))))
    .replace(dates, (time) => {
      if (time.endsWith("Z")) return fromMicros(moved.get(toMicros(time)) as Micros);
      const minute = time.length === dateLength ? `${time}T12:00` : time.replace(" ", "T");
      return fromMicros(move(toMicros(`${minute}:00Z`)))
        .replace("T", time[dateLength] ?? " ")
        .slice(0, time.length);
    });
}

/** A function that never falls: exact within a day, and stretched or squeezed between two. */
function timeline(recordedAt: Micros, now: Micros): (at: Micros) => Micros {
  const [from, to] = [lastWorkingDays(recordedAt - recent), lastWorkingDays(now - recent)];
  const anchors = [
    ...from.flatMap((day, index): [Micros, Micros][] => [
      [day + dayStart, (to[index] as Micros) + dayStart],
      [day + dayEnd, (to[index] as Micros) + dayEnd],
    ]),
    [recordedAt - recent, now - recent] as [Micros, Micros],
  ];
  return (at) => {
    const next = anchors.findIndex(([start]) => start > at);
    const [start, moved] = anchors.at(next === -1 ? -1 : Math.max(0, next - 1)) as [Micros, Micros];
    const [end, movedEnd] = next > 0 ? (anchors[next] as [Micros, Micros]) : [start + 1, moved + 1];
    return moved + Math.floor((at - start) * ((movedEnd - moved) / (end - start)));
  };
}

/** The days whose evening is before a time, oldest first. */
function lastWorkingDays(before: Micros): Micros[] {
  const found: Micros[] = [];
  let day = before - (before % dayMicros);
  if (day + dayEnd + hour > before) day -= dayMicros;
  for (; found.length < workingDays; day -= dayMicros) if (isWorkday(day)) found.unshift(day);
  return found;
}

/** Monday to Friday: 1970 began on a Thursday. */
const isWorkday = (day: Micros): boolean => ((Math.floor(day / dayMicros) + 4) % 7) % 6 !== 0;
