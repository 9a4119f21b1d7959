/** Demo data for mock mode: a recorded month of a fictional team, moved so that it ends now. */
import type { Data } from "../src/api/port.ts";
import { dayOf, type Micros } from "../src/core/lib/time.ts";
import type { ExportedRow } from "../src/core/maintenance.ts";
import { budgetNotice } from "../src/feed/budgets/notice.ts";
import { startsOn, thresholdOf } from "../src/feed/budgets/spending.ts";
import type { BudgetRow } from "../src/feed/rows.ts";
import type { Event } from "../src/feed/schema.ts";
import type { NewDeliveryRow } from "../src/integrations/rows.ts";
import type { AssetRow } from "../src/library/rows.ts";
import { mediaObjects } from "./demo/media.ts";
import month from "./demo/month.ndjson.zst" with { type: "file" };
import { moveTimes } from "./demo/timeline.ts";

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
