/**
 * What a plain program does to append single events to Postgres: one transaction each under the lock of the
 * feed, into the same table and indexes, the lists of facets and the index of the terms included. Answers
 * events a second.
 */
import { SQL } from "bun";
import { eventFields } from "../../../src/feed/schema.ts";
import { searchableEventKinds } from "../../../src/memory/schema.ts";
import { termsOf } from "../../../src/text/tokenizer.ts";
import { eventOf, valuesOf } from "../events.ts";

const sql = new SQL(process.argv[2] as string, { max: 1 });
const columns = [...eventFields, "dedupe_key", "wire"];
const insertEvent = `insert into events (${columns.join(", ")}) values (${columns.map((_, index) => `$${index + 1}`).join(", ")})`;
const insertFacet = `insert into facets (project, kind, actor, lane) values ($1, $2, $3, $4)
  on conflict (project, kind, actor, lane) do update set lane = excluded.lane returning id`;
const facets = new Map<string, number>();

process.on("message", async ({ first, count }: { first: number; count: number }) => {
  const now = Date.now() * 1000;
  const start = performance.now();
  for (let index = first; index < first + count; index++) await append(index, now + index);
  process.send?.(count / ((performance.now() - start) / 1000));
});

async function append(index: number, ts: number): Promise<void> {
  const { kind, summary, project, actor, lane } = eventOf(index);
  await sql.begin(async (tx) => {
    await tx`select ts from feed_head for update`;
    await tx.unsafe(insertEvent, valuesOf(index, ts));
    const facet = [project ?? "", kind, actor, lane ?? ""];
    const id = facets.get(facet.join()) ?? Number((await tx.unsafe(insertFacet, facet))[0].id);
    facets.set(facet.join(), id);
    await tx`insert into facet_events (facet, ts) values (${id}, ${ts})`;
    if (searchableEventKinds.has(kind))
      await tx`insert into event_terms (id, terms) values (${index + 1}, ${termsOf(summary).join(" ")}::text::tsvector)`;
    await tx`update feed_head set id = ${index + 1}, ts = ${ts}`;
  });
}
