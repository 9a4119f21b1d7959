/** What a plain program does to append batches: one transaction each, as durable as those of svc. Answers events a second. */
import { Database } from "bun:sqlite";
import { insertEvent, valuesOf } from "../events.ts";

const database = new Database(process.argv[2], { readwrite: true });
database.exec("pragma journal_mode = wal; pragma synchronous = full");
const insert = database.prepare(insertEvent);
const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];

/** Batches of 100, from the event `first` on; the rows are ready before the clock runs. */
process.on("message", ({ first, batches }: { first: number; batches: number }) => {
  const now = Date.now() * 1000;
  const rows = Array.from({ length: batches * 100 }, (_, index) => valuesOf(first + index, now + first + index));
  const start = performance.now();
  for (let batch = 0; batch < batches; batch++) {
    begin.run();
    for (const row of rows.slice(batch * 100, batch * 100 + 100)) insert.run(...row);
    commit.run();
  }
  process.send?.(rows.length / ((performance.now() - start) / 1000));
});
