/**
 * What a plain program does to append batches: one transaction each, as durable as those of svc, into the same table and
 * indexes, that of the terms included. Answers events a second.
 */
import { Database } from "bun:sqlite";
import { recalledEvents } from "../../../src/memory/schema.ts";
import { termsOf } from "../../../src/text/terms.ts";
import { eventOf, insertEvent, valuesOf } from "../events.ts";

const database = new Database(process.argv[2], { readwrite: true });
database.exec("pragma journal_mode = wal; pragma synchronous = full");
const insert = database.prepare(insertEvent);
const insertTerms = database.prepare("insert into event_terms (rowid, head, body) values (?, '', ?)");
const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];

/** Batches of 100, from the event `first` on; the rows are ready before the clock runs. */
process.on("message", ({ first, batches }: { first: number; batches: number }) => {
  const now = Date.now() * 1000;
  const rows = Array.from({ length: batches * 100 }, (_, index) => ({
    values: valuesOf(first + index, now + first + index),
    terms: recalledTerms(first + index),
  }));
  const start = performance.now();
  for (let batch = 0; batch < batches; batch++) {
    begin.run();
    for (const { values, terms } of rows.slice(batch * 100, batch * 100 + 100)) {
      insert.run(...values);
      if (terms) insertTerms.run(values[0] as number, terms);
    }
    commit.run();
  }
  process.send?.(rows.length / ((performance.now() - start) / 1000));
});

function recalledTerms(index: number): string | null {
  const { kind, summary } = eventOf(index);
  return recalledEvents.has(kind) ? termsOf(summary).join(" ") : null;
}
