/** Reads of what is packed. Whoever also reads `events` does that first: what is packed meanwhile is then seen twice, and not never. */
import { and, asc, desc, gt, gte, lt, lte, max, sql } from "drizzle-orm";
import type { Rendered } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import { type Pack, renderedIn } from "./pack.ts";
import { prepared } from "./prepared.ts";
import { elements } from "./rows.ts";
import type { Session } from "./session.ts";
import type { Direction } from "./stretch.ts";

const newestPack = prepared(({ db, t: { packs } }) =>
  db
    .select({ last: max(packs.last) })
    .from(packs)
    .prepare(),
);

/** Of the newest packed event; null where none is. */
export async function packedUntil(session: Session): Promise<Micros | null> {
  const [newest] = await newestPack(session).execute();
  return newest?.last ?? null;
}

interface Stretch {
  before?: Micros;
  after?: Micros;
  limit: number;
}

/** So many packs are looked through for what a filter lets pass. */
const packsMax = 8;

/** Their texts say what they are of: no value can hold what looks like a field, since it would have to escape the quotes. */
export const says = (field: string, value: string): string => `${JSON.stringify(field)}:${JSON.stringify(value)}`;

/**
 * The first of a stretch whose texts say all of that. `whole`: there are no others in it, or as many as were asked for; with
 * something to be said the search ends early.
 */
export async function packedPage(
  session: Session,
  { before = Number.POSITIVE_INFINITY, after = Number.NEGATIVE_INFINITY, limit }: Stretch,
  said: string[],
  direction: Direction,
): Promise<{ rows: Rendered[]; whole: boolean }> {
  const rows: Rendered[] = [];
  let [from, to] = [after, before];
  for (let read = 0; said.length === 0 || read < packsMax; read++) {
    const pack = await nextPack(session, from, to, direction);
    if (!pack) return { rows, whole: true };
    const inside = renderedIn(pack, from, to);
    if (direction === "newest first") inside.reverse();
    rows.push(...inside.filter(({ wire }) => said.every((one) => wire.includes(one))));
    if (rows.length >= limit) return { rows: rows.slice(0, limit), whole: true };
    if (direction === "newest first") to = pack.first;
    else from = pack.last;
  }
  return { rows, whole: false };
}

type Read = Pick<Pack, "first" | "last" | "wires">;

/** The first pack of a stretch, from its one end or the other. */
async function nextPack(session: Session, after: Micros, before: Micros, direction: Direction): Promise<Read | undefined> {
  if (direction === "newest first") {
    const [pack] = await packBefore(session).execute({ before: Math.min(before, Number.MAX_SAFE_INTEGER) });
    return pack && pack.last > after ? pack : undefined;
  }
  const [pack] = await packAfter(session).execute({ after: Math.max(after, Number.MIN_SAFE_INTEGER) });
  return pack && pack.first < before ? pack : undefined;
}

const packBefore = prepared(({ db, t: { packs } }) =>
  db
    .select({ first: packs.first, last: packs.last, wires: packs.wires })
    .from(packs)
    .where(lt(packs.first, sql.placeholder("before")))
    .orderBy(desc(packs.first))
    .limit(1)
    .prepare(),
);

const packAfter = prepared(({ db, t: { packs } }) =>
  db
    .select({ first: packs.first, last: packs.last, wires: packs.wires })
    .from(packs)
    .where(gt(packs.last, sql.placeholder("after")))
    .orderBy(asc(packs.last))
    .limit(1)
    .prepare(),
);

/** Those of exactly these times that are packed. */
export async function packedAt(session: Session, times: Micros[]): Promise<Map<Micros, Rendered>> {
  if (times.length === 0) return new Map();
  const { db, dialect, t } = session;
  const { packs } = t;
  const time = sql.raw(dialect === "sqlite" ? "element.value" : "element.value::bigint");
  const around = sql`select (select max(one.first) from packs as one where one.first <= ${time}) from ${elements(dialect, times)}`;
  const found = await db.select({ wires: packs.wires }).from(packs).where(sql`${packs.first} in (${around})`);
  const wanted = new Set(times);
  return new Map(
    found
      .flatMap(everyOne)
      .filter(({ ts }) => wanted.has(ts))
      .map((row) => [row.ts, row]),
  );
}

/** The first microsecond from that one on that no packed event has. */
export async function unpackedFrom(session: Session, ts: Micros): Promise<Micros> {
  const [pack] = await packBefore(session).execute({ before: ts + 1 });
  if (!pack || pack.last < ts) return ts;
  const taken = new Set(renderedIn(pack, ts - 1, Number.POSITIVE_INFINITY).map((row) => row.ts));
  while (taken.has(ts)) ts++;
  return ts;
}

/** When it happened; null where no packed event has that number. */
export async function packedTime(session: Session, id: number): Promise<Micros | null> {
  const { db, t } = session;
  const { packs } = t;
  const found = await db
    .select({ wires: packs.wires })
    .from(packs)
    .where(and(gte(packs.last_id, id), lte(packs.first_id, id)))
    .orderBy(asc(packs.last_id))
    .limit(aroundMax);
  return found.flatMap(everyOne).find((row) => row.id === id)?.ts ?? null;
}

/** Numbers rise with the times, imports of the past aside: more packs than these do not hold numbers on both sides of one. */
const aroundMax = 50;

const everyOne = (pack: Pick<Pack, "wires">): Rendered[] => renderedIn(pack, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);

/** Hashes of the keys of packed events, of those that are given. */
export async function packedHashes(session: Session, hashes: string[]): Promise<Set<string>> {
  const rows = await hashesAmong(session).execute({ hashes: JSON.stringify(hashes) });
  return new Set(rows.map(({ hash }) => hash));
}

const hashesAmong = prepared(({ db, dialect, t: { packed_keys } }) => {
  const hashes = sql.placeholder("hashes");
  return db
    .select()
    .from(packed_keys)
    .where(
      dialect === "sqlite"
        ? sql`hash in (select value from json_each(${hashes}))`
        : sql`hash = any(array(select json_array_elements_text(${hashes}::text::json)))`,
    )
    .prepare();
});
