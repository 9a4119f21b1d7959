/**
 * Recall indexes that an older analyzer made. A server rebuilds them in the background, in small transactions
 * from the newest document to the oldest. Until then a document is found by its old terms. Rows written
 * meanwhile have the new terms, so each document is indexed once.
 */
import { and, asc, eq, gte, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { RecallIndexState } from "../../../src/core/maintenance.ts";
import { analyzerVersion } from "../../../src/core/text/tokenizer.ts";
import { readEvent } from "../../../src/feed/render-event.ts";
import type { DecisionRow, GuidanceRow, NewNote, PreferenceRow } from "../../../src/memory/rows.ts";
import { type MemoryKind, memoryKinds } from "../../../src/memory/schema.ts";
import { clearCaches, type Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { decisionDocuments } from "./decision-documents.ts";
import { searchableEvents } from "./searchable-events.ts";
import { clearIndexes, type Document, documentOf, indexRows, replaceRows } from "./term-index.ts";

/**
 * The ids that one transaction covers. Writers wait for it: 100 events take about 18 ms of CPU on SQLite
 * (measured once on 15,000 events, appends included).
 */
const batchIds = 100;

type State = Session["t"]["recall_indexes"]["$inferSelect"];

const readStates = ({ db, t }: Session): Promise<State[]> => db.select().from(t.recall_indexes);

/** The tables of the kinds other than events. */
const tableOf = {
  decision: "decisions",
  preference: "preferences",
  note: "notes",
  guidance: "guidance",
} as const satisfies Record<Exclude<MemoryKind, "event">, keyof Session["t"]>;

/** The id after the largest one that the index of a kind has; 1 when there are none. */
async function endOf(session: Session, kind: MemoryKind): Promise<number> {
  if (kind === "event") return (await readFeedHead(session)).derived + 1;
  const { db, t } = session;
  const table = t[tableOf[kind]];
  const [row] = await db.select({ max: sql`coalesce(max(${table.id}), 0)`.mapWith(Number) }).from(table);
  return (row?.max ?? 0) + 1;
}

const isOutdated = ({ analyzer, pending }: State): boolean =>
  (analyzer !== null && analyzer < analyzerVersion) || pending !== null;

/** Whether the index has the current analyzer's terms, and the share of it that has. */
export async function readIndexState(session: Session): Promise<RecallIndexState> {
  const states = await readStates(session);
  if (states.some(({ analyzer }) => (analyzer ?? 0) > analyzerVersion))
    return { state: "newer", share: 1, changedAt: null };
  const outdated = states.filter(isOutdated);
  if (outdated.length === 0) return { state: "current", share: 1, changedAt: null };
  let [left, total] = [0, 0];
  for (const kind of memoryKinds) {
    const end = await endOf(session, kind);
    total += end;
    const state = outdated.find((one) => one.kind === kind);
    if (state) left += nextEnd(state) ?? end;
  }
  const changedAt = Math.max(...outdated.map(({ changed_at }) => changed_at));
  return { state: "outdated", share: 1 - left / total, changedAt };
}

/** Where the rebuild continues; null when it starts, at the end. */
const nextEnd = ({ analyzer, pending }: State): number | null =>
  analyzer === analyzerVersion ? pending : null;

/**
 * Rebuilds the next documents of the first kind that has outdated ones; runs in a transaction.
 * @param now in microseconds @returns whether more are left
 */
export async function rebuildBatch(session: Session, now: number): Promise<boolean> {
  const states = await readStates(session);
  const kind = memoryKinds.find((one) => states.some((state) => state.kind === one && isOutdated(state)));
  const state = states.find((one) => one.kind === kind);
  if (!kind || !state) return false;
  const to = nextEnd(state) ?? (await endOf(session, kind));
  const from = Math.max(1, to - batchIds);
  await replaceRows(session, kind, await readDocuments[kind](session, { from, to, limit: batchIds }));
  const pending = from > 1 ? from : null;
  await saveState(session, eq(session.t.recall_indexes.kind, kind), { pending, changed_at: now });
  return true;
}

const saveState = (
  { db, t }: Session,
  condition: SQL | undefined,
  state: Pick<State, "pending"> & Partial<State>,
) =>
  db
    .update(t.recall_indexes)
    .set({ ...state, analyzer: analyzerVersion })
    .where(condition);

/** Documents that a rebuild of everything reads at once. */
const pageRows = 500;

/** Rebuilds all indexes and their vocabulary; to be called in a transaction that holds the write lock. */
export async function rebuildRecallIndex(session: Session): Promise<void> {
  await clearIndexes(session);
  clearCaches(session);
  for (const kind of memoryKinds) {
    let from = 0;
    const to = kind === "event" ? (await readFeedHead(session)).derived + 1 : Number.MAX_SAFE_INTEGER;
    for (let isLast = false; !isLast; ) {
      const range = { from, to, limit: pageRows };
      const documents = await readDocuments[kind](session, range);
      await indexRows(session, kind, documents);
      isLast = documents.length < pageRows;
      from = (documents.at(-1)?.id ?? 0) + 1;
    }
  }
  await saveState(session, undefined, { pending: null });
}

/** Whether an index has no version yet, as in a new database. */
export const hasUnversioned = async (session: Session): Promise<boolean> =>
  (await readStates(session)).some(({ analyzer }) => analyzer === null);

/** Records the version of indexes without one, before their first document. */
export async function recordVersion(session: Session): Promise<void> {
  await saveState(session, isNull(session.t.recall_indexes.analyzer), { pending: null });
}

/** Ids from `from` to before `to`, at most `limit` of them, the smallest first. */
interface IdRange {
  from: number;
  to: number;
  limit: number;
}

/** For each kind, reads the documents of a range of ids, sorted by id. */
const readDocuments: Record<MemoryKind, (session: Session, range: IdRange) => Promise<Document[]>> = {
  decision: async (session, range) =>
    decisionDocuments(session, await rowsIn<DecisionRow>(session, "decisions", range)),
  preference: async (session, range) =>
    (await rowsIn<PreferenceRow>(session, "preferences", range)).map(documentOf.preference),
  note: async (session, range) =>
    (await rowsIn<NewNote & { id: number }>(session, "notes", range)).map(documentOf.note),
  guidance: async (session, range) =>
    (await rowsIn<GuidanceRow>(session, "guidance", range)).map(documentOf.guidance),
  async event(session, { from, to, limit }) {
    const { events } = session.t;
    const { id, ts, wire } = events;
    const rows = await session.db
      .select({ ts, wire })
      .from(events)
      .where(and(gte(id, from), lt(id, to), searchableEvents(session)))
      .orderBy(asc(id))
      .limit(limit);
    return rows.map(readEvent).map(documentOf.event);
  },
};

async function rowsIn<Row>(
  { db, t }: Session,
  name: "decisions" | "preferences" | "notes" | "guidance",
  { from, to, limit }: IdRange,
): Promise<Row[]> {
  const { id } = t[name];
  const rows = await db
    .select()
    .from(t[name])
    .where(and(gte(id, from), lt(id, to)))
    .orderBy(asc(id))
    .limit(limit);
  // Safe: these are the rows of that table.
  return rows as unknown as Row[];
}
