/**
 * What a plain program does for `POST /events`: one transaction for each request, as durable as those of svc, into
 * the same table and indexes, the lists of facets and the index of terms included. It checks no input. With
 * SQLite, or with Postgres through Bun.SQL, where appends take the lock of the feed.
 */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { termsOf } from "../../../src/core/text/tokenizer.ts";
import { renderEvent } from "../../../src/feed/render-event.ts";
import type { Event, EventRow } from "../../../src/feed/schema.ts";
import { searchableEventKinds } from "../../../src/memory/schema.ts";
import { columns } from "../measuring/events.ts";

type Given = Omit<Event, "id" | "ts"> & { dedupe_key: string };
type Value = string | number | null;

const facetColumns = ["project", "kind", "actor", "lane", "team", "person"];
const facets = new Map<string, number>();
let [lastId, lastTs] = [0, 0];

const list = (names: string[], placeholder: (index: number) => string): string =>
  `(${names.join(", ")}) values (${names.map((_, index) => placeholder(index + 1)).join(", ")})`;

function rowOf({ dedupe_key, ...event }: Given) {
  lastTs = Math.max(lastTs + 1, Date.now() * 1000);
  const none = { task: null, run_id: null, cost_source: null, team: null, person: null };
  const row: EventRow = { ...none, ...event, id: ++lastId, ts: lastTs };
  const stored = { ...row, dedupe_key, wire: renderEvent(row), delivery_id: null, payload: null };
  const values: Value[] = columns.map((name) => stored[name]);
  const terms = searchableEventKinds.has(event.kind) ? termsOf(event.summary).join(" ") : null;
  return {
    id: row.id,
    ts: row.ts,
    values,
    terms,
    facet: [
      event.project ?? "",
      event.kind,
      event.actor,
      event.lane ?? "",
      event.team ?? "",
      event.person ?? "",
    ],
  };
}

function sqliteAppend(path: string): (events: Given[]) => void {
  const database = new Database(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  const insert = database.prepare(`insert or ignore into events ${list(columns, () => "?")}`);
  const insertTerms = database.prepare("insert into event_terms (rowid, head, body) values (?, '', ?)");
  const insertListed = database.prepare("insert into facet_events (facet, ts) values (?, ?)");
  const insertFacet = database.prepare<{ id: number }, string[]>(
    `insert into facets ${list(facetColumns, () => "?")} on conflict do update set lane = excluded.lane returning id`,
  );
  return database.transaction((events: Given[]) => {
    for (const { id: event, ts, values, terms, facet } of events.map(rowOf)) {
      insert.run(...values);
      const key = facet.join();
      const id = facets.get(key) ?? (insertFacet.get(...facet)?.id as number);
      facets.set(key, id);
      insertListed.run(id, ts);
      if (terms) insertTerms.run(event, terms);
    }
  });
}

function postgresAppend(url: string): (events: Given[]) => Promise<void> {
  const sql = new SQL(url, { max: 10 });
  const insert = `insert into events ${list(columns, (index) => `$${index}`)} on conflict do nothing`;
  const insertFacet = `insert into facets ${list(facetColumns, (index) => `$${index}`)}
    on conflict (${facetColumns}) do update set lane = excluded.lane returning id`;
  return (events) =>
    sql.begin(async (tx) => {
      await tx`select ts from feed_head for update`;
      for (const { id: event, ts, values, terms, facet } of events.map(rowOf)) {
        await tx.unsafe(insert, values);
        const key = facet.join();
        const id = facets.get(key) ?? Number((await tx.unsafe(insertFacet, facet))[0].id);
        facets.set(key, id);
        await tx`insert into facet_events (facet, ts) values (${id}, ${ts})`;
        if (terms) await tx`insert into event_terms (id, terms) values (${event}, ${terms}::text::tsvector)`;
      }
      await tx`update feed_head set id = ${lastId}, ts = ${lastTs}`;
    });
}

const source = process.argv[2] as string;
const append = source.startsWith("postgres:")
  ? postgresAppend(source)
  : sqliteAppend(source.slice("sqlite:".length));

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { events } = (await request.json()) as { events: Given[] };
    await append(events);
    return Response.json({ added: events.length }, { status: 201 });
  },
});
process.stdout.write(`${server.url.origin}\n`);
