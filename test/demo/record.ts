/**
 * Renews the recording of the demo: `bun test/demo/record.ts FOLDER` stores the rows of that database.
 * To change the demo, run `svc demo`, change what it shows, and record its folder on a Monday at 10:00 UTC.
 * Without a folder it stores the present recording again, after a migration that dropped a column.
 */
import { join } from "node:path";
import { fillDemo } from "../../db/demo.ts";
import { openData } from "../../db/open.ts";
import { toMicros } from "../../src/core/lib/time.ts";

/** Of a deployment, or made again from the events. */
const left = new Set(["settings", "tokens", "audit", "usage"]);
const lanes = ["lane_a", "lane_b", "lane_c"];
const recorded = join(import.meta.dir, "../../db/demo/month.ndjson.zst");

const [folder] = process.argv.slice(2);
const now = folder ? Date.now() * 1000 : toMicros("2026-03-09T10:00:00Z");
const data = await openData(folder ? `sqlite:${join(folder, "svc.db")}` : "sqlite::memory:", {
  now: () => now,
  log() {},
});
if (!folder) await fillDemo(data, { now, lanes });
const lines = [JSON.stringify({ recorded_at: now })];
await data.snapshot(async (all) => {
  for (const table of all.tables)
    if (!left.has(table))
      for await (const page of all.rows(table))
        lines.push(...page.map((row) => JSON.stringify([table, row])));
});
for (const { id } of await data.webhooks())
  for (const { id: _, ...row } of (await data.deliveries(id, { limit: 100 })).reverse())
    lines.push(JSON.stringify(["webhook_deliveries", row]));
const placeOf = (lane: string) => `⟨${lanes.indexOf(lane)}⟩`;
const text = lines.join("\n").replace(new RegExp(lanes.join("|"), "g"), placeOf);
await Bun.write(recorded, Bun.zstdCompressSync(Buffer.from(`${text}\n`), { level: 19 }));
