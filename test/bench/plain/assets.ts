/**
 * What a plain program does for a page of the library: rows, two signed addresses for each, and
 * JSON.stringify.
 */
import { Database } from "bun:sqlite";
import { cursorOf, readCursor } from "../../../src/core/lib/cursor.ts";

interface Row extends Record<string, unknown> {
  id: string;
  key: string;
}

const columns =
  "id, project, issue, task, pr, title, description, kind, mime, size, sha256, width, height, duration_ms, version, parent_id, status, " +
  'key, created_by, created_at, reviewed_by, reviewed_at, review_note, public_url, expires_at, tags, run_id, "set", repeats, waiting';
const order = "order by waiting desc, created_at desc, id desc limit 51";
const database = new Database(process.argv[2] as string, { readonly: true });
const newest = database.prepare<Row, []>(`select ${columns} from assets ${order}`);
const behind = database.prepare<Row, [number, number, string]>(
  `select ${columns} from assets where (waiting, created_at, id) < (?, ?, ?) ${order}`,
);

const timeText = (at: number): string =>
  `${new Date(at / 1000).toISOString().slice(0, -1)}${String(at % 1000).padStart(3, "0")}Z`;

const expires = Math.ceil(Date.now() / 1000) + 3600;
function signed(origin: string, purpose: string, id: string, name: string): string {
  const text = JSON.stringify([purpose, id, expires]);
  const seal = new Bun.CryptoHasher("sha256", "a secret of the bench")
    .update(text)
    .digest("base64url")
    .slice(0, 32);
  return `${origin}/api/assets/${purpose}/${id}/${expires}-${seal}/${name}`;
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch(request) {
    const { searchParams, origin } = new URL(request.url);
    const cursor = searchParams.get("cursor");
    const rows = cursor ? behind.all(...placeOf(cursor)) : newest.all();
    const assets = rows.slice(0, 50).map(({ key, waiting: _, ...row }) => ({
      ...row,
      tags: JSON.parse(row.tags as string),
      created_at: timeText(row.created_at as number),
      url: signed(origin, "view", row.id, key.split("/").at(-1) as string),
      thumb_url: signed(origin, "thumb", row.id, "thumb.webp"),
      bundle_url: null,
    }));
    const last = rows.length > 50 ? rows[49] : undefined;
    const next = last && cursorOf(last.created_at as number, `${last.waiting}${last.id}`);
    return new Response(JSON.stringify({ assets, count: assets.length, next_cursor: next ?? null }), {
      headers: { "content-type": "application/json" },
    });
  },
});

function placeOf(cursor: string): [number, number, string] {
  const { ts, rest } = readCursor(cursor);
  return [Number(rest[0]), ts ?? 0, rest.slice(1)];
}
process.stdout.write(`${server.url.origin}\n`);
