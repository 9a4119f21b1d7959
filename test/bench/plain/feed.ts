/**
 * What a plain program does for a page of the feed. `/rows`: columns and JSON.stringify; `/wire`: the
 * statement that svc runs.
 */
import { Database } from "bun:sqlite";
import { eventFields } from "../../../src/feed/schema.ts";

type Row = Record<string, unknown>;

const database = new Database(process.argv[2], { readonly: true });
const page = (columns: string) =>
  database.prepare<Row, [number]>(`select ${columns} from events where ts < ? order by ts desc limit 51`);
const [columns, wire] = [page(eventFields.join(", ")), page("id, ts, wire")];

const timeText = (ts: number): string =>
  `${new Date(ts / 1000).toISOString().slice(0, -1)}${String(ts % 1000).padStart(3, "0")}Z`;

function asRows(before: number): string {
  const rows = columns.all(before);
  const events = rows.slice(0, 50);
  for (const row of events) row.ts = timeText(row.ts as number);
  return JSON.stringify({
    events,
    count: events.length,
    next_before: rows.length > 50 ? events.at(-1)?.ts : null,
  });
}

function asWire(before: number): string {
  const rows = wire.all(before);
  const events = rows.slice(0, 50);
  const next = JSON.stringify(rows.length > 50 ? timeText(events.at(-1)?.ts as number) : null);
  return `{"events":[${events.map((row) => row.wire).join()}],"count":${events.length},"next_before":${next}}`;
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const text = searchParams.get("before");
    const before = text ? Date.parse(text) * 1000 + Number(text.slice(23, 26)) : Number.MAX_SAFE_INTEGER;
    return new Response(pathname === "/rows" ? asRows(before) : asWire(before), {
      headers: { "content-type": "application/json" },
    });
  },
});
process.stdout.write(`${server.url.origin}\n`);
