/**
 * What a plain program does for a page of the feed. `/rows`: columns and JSON.stringify, from a database of
 * its own; `/wire`: the statement that svc runs. With SQLite, or with Postgres through Bun.SQL.
 */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { cursorOf } from "../../../src/core/lib/cursor.ts";
import { eventFields } from "../../../src/feed/schema.ts";

type Row = Record<string, unknown>;
type Page = (before: number) => Row[] | Promise<Row[]>;

const [source = "", plainSource] = process.argv.slice(2);
const wire = source.startsWith("postgres:") ? postgresPage(source) : sqlitePage(source, "id, ts, wire");
const columns = plainSource === undefined ? () => [] : sqlitePage(plainSource, eventFields.join(", "));

function sqlitePage(path: string, columns: string): Page {
  const database = new Database(path, { readonly: true });
  const page = database.prepare<Row, [number]>(
    `select ${columns} from events where ts < ? order by ts desc limit 51`,
  );
  return (before) => page.all(before);
}

function postgresPage(url: string): Page {
  const sql = new SQL(url, { max: 10 });
  return (before) =>
    sql.unsafe("select id, ts, wire from events where ts < $1 order by ts desc limit 51", [before]);
}

const timeText = (ts: number): string =>
  `${new Date(ts / 1000).toISOString().slice(0, -1)}${String(ts % 1000).padStart(3, "0")}Z`;

/** The end of a page. */
function nextOf(rows: Row[]): { next_cursor: string | null; next_before: string | null } {
  if (rows.length <= 50) return { next_cursor: null, next_before: null };
  const ts = Number(rows[49]?.ts);
  return { next_cursor: cursorOf(ts), next_before: timeText(ts) };
}

async function asRows(before: number): Promise<string> {
  const rows = await columns(before);
  const next = nextOf(rows);
  const events = rows.slice(0, 50);
  for (const row of events) row.ts = timeText(row.ts as number);
  return JSON.stringify({ events, count: events.length, ...next });
}

async function asWire(before: number): Promise<string> {
  const rows = await wire(before);
  const events = rows.slice(0, 50);
  const next = JSON.stringify(nextOf(rows)).slice(1, -1);
  return `{"events":[${events.map((row) => row.wire).join()}],"count":${events.length},${next}}`;
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const text = searchParams.get("before");
    const before = text ? Date.parse(text) * 1000 + Number(text.slice(23, 26)) : Number.MAX_SAFE_INTEGER;
    return new Response(await (pathname === "/rows" ? asRows(before) : asWire(before)), {
      headers: { "content-type": "application/json" },
    });
  },
});
process.stdout.write(`${server.url.origin}\n`);
