/**
 * What a plain program does to append batches: one transaction each, as durable as those of svc, into the
 * same table and indexes, the lists of facets and the index of the terms included. Answers events a second.
 */
import { Database } from "bun:sqlite";
import { searchableEventKinds } from "../../../src/memory/schema.ts";
import { termsOf } from "../../../src/text/tokenizer.ts";
import { eventOf, insertEvent, valuesOf } from "../events.ts";

const database = new Database(process.argv[2], { readwrite: true });
database.exec("pragma journal_mode = wal; pragma synchronous = full");
const insert = database.prepare(insertEvent);
const insertTerms = database.prepare("insert into event_terms (rowid, head, body) values (?, '', ?)");
const insertFacet = database.prepare<{ id: number }, string[]>(
  "insert into facets (project, kind, actor, lane) values (?, ?, ?, ?) on conflict do update set lane = excluded.lane returning id",
);
const insertListed = database.prepare("insert into facet_events (facet, ts) values (?, ?)");
const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];

/** Batches of 100, from the event `first` on; the rows are ready before the clock runs. */
process.on("message", ({ first, batches }: { first: number; batches: number }) => {
  const now = Date.now() * 1000;
  const rows = Array.from({ length: batches * 100 }, (_, index) => ({
    values: valuesOf(first + index, now + first + index),
    terms: recalledTerms(first + index),
    facet: facetOf(first + index),
  }));
  const start = performance.now();
  for (let batch = 0; batch < batches; batch++) {
    begin.run();
    for (const { values, terms, facet } of rows.slice(batch * 100, batch * 100 + 100)) {
      insert.run(...values);
      insertListed.run(facet, values[1] as number);
      if (terms) insertTerms.run(values[0] as number, terms);
    }
    commit.run();
  }
  process.send?.(rows.length / ((performance.now() - start) / 1000));
});

function recalledTerms(index: number): string | null {
  const { kind, summary } = eventOf(index);
  return searchableEventKinds.has(kind) ? termsOf(summary).join(" ") : null;
}

const facets = new Map<string, number>();

function facetOf(index: number): number {
  const { project, kind, actor, lane } = eventOf(index);
  const facet = [project ?? "", kind, actor, lane ?? ""];
  const key = facet.join();
  let id = facets.get(key);
  if (id === undefined) facets.set(key, (id = insertFacet.get(...facet)?.id as number));
  return id;
}
