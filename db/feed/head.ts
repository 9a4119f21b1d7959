/** The head of the feed: the one row that every append updates and, on Postgres, locks. */
import { eq, type SQL, sql } from "drizzle-orm";
import { sharedRead } from "../engine/measured-reads.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement, preparedWrite } from "../query/statements.ts";

/**
 * The newest event, the version of the budgets, and how far the rows go that are derived from events: those
 * after `derived` are pending.
 */
export type Head = Omit<Session["t"]["feed_head"]["$inferSelect"], "one">;

// Binds a parameter: Bun pipelines only parameterized statements.
const selectHead = preparedStatement(({ db, dialect, isPooled, t: { feed_head } }) => {
  const { one, ...columns } = feed_head;
  const { id, ts, derived, budgets } = columns;
  const query = db
    .select({ id, ts, derived, budgets })
    .from(feed_head)
    .where(eq(one, 1))
    .limit(sql.placeholder("limit"));
  const read = dialect.reader<Head>(db, query.prepare());
  const readOne = async () => (await read({ limit: 1 }))[0] as Head;
  // The reads of a page ask for it a dozen times (`bun run bench page-times`).
  return isPooled ? sharedRead(readOne) : readOne;
});

/** Reads the head. Its row always exists: a migration inserts it and nothing deletes it. */
export const readFeedHead = (session: Session): Promise<Head> => selectHead(session)("");

const updateHead = preparedWrite(({ db, t: { feed_head } }) =>
  db
    .update(feed_head)
    .set({ id: sql`${sql.placeholder("id")}`, ts: sql`${sql.placeholder("ts")}` })
    .prepare(),
);

/** Moves the head to the newest event. */
export const moveFeedHead = (session: Session, { id, ts }: Pick<Head, "id" | "ts">): Promise<unknown> =>
  updateHead(session)({ id, ts });

const updateDerived = preparedWrite(({ db, t: { feed_head } }) =>
  db
    .update(feed_head)
    .set({ derived: sql`${sql.placeholder("derived")}` })
    .prepare(),
);

/** Records the last event that the rows derived behind appends include; see derived-rows.ts. */
export const saveDerived = (session: Session, derived: number): Promise<unknown> =>
  updateDerived(session)({ derived });

/** The condition that the rows derived behind appends include an event. */
export const areDerived = ({ dialect, t: { events } }: Session): SQL =>
  sql`${dialect.unindexed(events.id)} <= (select derived from feed_head)`;

/** The condition that they do not yet. There are few such events, so they are a range of the index of ids. */
export const arePending = ({ t: { events } }: Session): SQL =>
  sql`${events.id} > (select derived from feed_head)`;

/** The condition that events are pending, in a statement that has the head of the feed in its `from`. */
export const hasPending = ({ t: { feed_head } }: Session): SQL<boolean> =>
  sql<boolean>`${feed_head.derived} < ${feed_head.id}`;

/** The condition that names the one row, so that the databases know that there is no other. */
export const isHead = ({ t: { feed_head } }: Session): SQL => eq(feed_head.one, 1);

/** The same in any other statement. */
export const selectPending: SQL<boolean> = sql.raw(
  "(select derived < id from feed_head where one = 1)",
) as SQL<boolean>;
