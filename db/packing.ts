/**
 * Packs events of long ago. Nothing is changed or lost: their texts, and whatever else their rows held, go compressed into
 * packs, a tenth as large; the lists of facets go on naming them. Left as they are: events that recall finds, and the newest
 * ones of the feed and of each project, which others rows are compared with.
 */
import { and, asc, between, gt, gte, inArray, lt, lte, notInArray, sql } from "drizzle-orm";
import { recalledEvents } from "../src/memory/schema.ts";
import type { Packing } from "../src/rows.ts";
import { dayOf, type Micros } from "../src/time.ts";
import { boundedSum, sumMax } from "./activity.ts";
import { comparedKey } from "./dedupe-keys.ts";
import { eventsIn, hashesOf, type Pack, packOf, type WholeEvent } from "./pack.ts";
import { allRows, elements } from "./rows.ts";
import type { Session } from "./session.ts";

/** Events of one pack: a page of the feed lies in one or two, and a larger one compresses little more. */
const packSize = 128;
/** So many are looked at in one transaction: others wait meanwhile, on SQLite the whole process. */
const lookedMax = 250;
/** Fewer that stand between packs are not worth taking these apart. */
const worthwhile = packSize / 2;
/** So many packs that they stand between are taken apart at once. */
const reopenedMax = 8;

/** Looks at the next events behind `after` that are older than `before`, and packs those that may be. Inside of a transaction. */
export async function packNext(session: Session, after: Micros, before: Micros): Promise<Packing> {
  const { events } = session.t;
  const looked = await session.db
    .select({ ts: events.ts })
    .from(events)
    .where(and(gt(events.ts, after), lt(events.ts, before)))
    .orderBy(asc(events.ts))
    .limit(lookedMax);
  const [from, to] = [looked[0]?.ts, looked.at(-1)?.ts];
  if (from === undefined || to === undefined) return { packed: 0, until: null };
  const found = await packable(session, from, to);
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last || found.length < worthwhile) return { packed: 0, until: to };
  const reopened = await packsAcross(session, first.ts, last.ts);
  const end = reopened.length < reopenedMax ? to : Math.max(first.ts, (reopened.at(-1) as Pack).last);
  const rows = reopened.length > 0 ? found.filter(({ ts }) => ts <= end) : found.slice(0, packSize);
  await remove(session, rows, reopened);
  const all = [...rows, ...reopened.flatMap(eventsIn)].sort((a, b) => a.ts - b.ts);
  await session.db.insert(session.t.packs).values(evenly(all).map(packOf));
  await keepKeys(session, rows);
  await addSums(session, rows);
  return { packed: rows.length, until: rows.length < found.length ? (rows.at(-1) as WholeEvent).ts : end };
}

/** Into packs of nearly the same size, and none of more than `packSize`. */
function evenly(rows: WholeEvent[]): WholeEvent[][] {
  const count = Math.ceil(rows.length / packSize);
  const at = (index: number) => Math.round((index * rows.length) / count);
  return Array.from({ length: count }, (_, index) => rows.slice(at(index), at(index + 1)));
}

/** Packs that hold something of the stretch, the oldest first. */
const packsAcross = ({ db, t: { packs } }: Session, first: Micros, last: Micros): Promise<Pack[]> =>
  db
    .select()
    .from(packs)
    .where(and(gte(packs.last, first), lte(packs.first, last)))
    .orderBy(asc(packs.last))
    .limit(reopenedMax);

async function packable({ db, t: { events, projects, feed_head } }: Session, first: Micros, last: Micros): Promise<WholeEvent[]> {
  const newest = db
    .select({ ts: projects.last_activity })
    .from(projects)
    .where(between(projects.last_activity, first, last));
  return db
    .select()
    .from(events)
    .where(
      and(
        between(events.ts, first, last),
        notInArray(events.kind, [...recalledEvents]),
        notInArray(events.ts, newest),
        // The newest one, and the last of an import.
        sql`not exists (select 1 from ${feed_head} where ${feed_head.ts} = ${events.ts} or ${feed_head.id} = ${events.id})`,
      ),
    )
    .orderBy(asc(events.ts));
}

async function remove({ db, dialect, t: { events, packs } }: Session, rows: WholeEvent[], reopened: Pack[]): Promise<void> {
  const value = sql.raw(dialect === "sqlite" ? "value" : "value::bigint");
  const times = rows.map(({ ts }) => ts);
  await db.delete(events).where(sql`${events.ts} in (select ${value} from ${elements(dialect, times)})`);
  if (reopened.length > 0)
    await db.delete(packs).where(
      inArray(
        packs.first,
        reopened.map((pack) => pack.first),
      ),
    );
}

/** From then on their keys are known by these. */
export async function keepKeys(session: Session, rows: WholeEvent[]): Promise<void> {
  const hashes = rows.flatMap(({ dedupe_key: key, project, delivery_id }) => hashesOf(key ? [comparedKey(key, project)] : [], delivery_id));
  if (hashes.length === 0) return;
  // A program of before that runs on meanwhile knows none of them, and may take a key again.
  const listed = sql`select value from ${elements(session.dialect, hashes)} where true order by 1`;
  await allRows(session, sql`insert into packed_keys (hash) ${listed} on conflict do nothing`);
}

const sums = ["events", "tokens_in", "tokens_out", "cache_read", "cache_write", "cost_equiv"] as const;
type Sum = Session["t"]["packed_sums"]["$inferInsert"];

/** What `usage` and the counters of projects are compared with, where the rows themselves are packed. */
export async function addSums({ db, t: { packed_sums } }: Session, rows: WholeEvent[]): Promise<void> {
  const added = new Map<string, Sum>();
  for (const row of rows) {
    const of = { project: row.project ?? "", day: dayOf(row.ts), lane: row.lane ?? "", model: row.model ?? "", kind: row.kind };
    const id = Object.values(of).join("\n");
    const sum: Sum = added.get(id) ?? { ...of, events: 0 };
    for (const field of sums) sum[field] = Math.min(sumMax, (sum[field] ?? 0) + (field === "events" ? 1 : row[field]));
    added.set(id, sum);
  }
  const { project, day, lane, model, kind } = packed_sums;
  await db
    .insert(packed_sums)
    .values([...added.values()])
    .onConflictDoUpdate({
      target: [project, day, lane, model, kind],
      set: Object.fromEntries(sums.map((field) => [field, boundedSum(packed_sums[field], sql`excluded.${sql.identifier(field)}`)])),
    });
}
