/** The head of the feed: the one row that every append updates and, on Postgres, locks. */
import { eq, type SQL, sql } from "drizzle-orm";
import type { Session } from "../engine/session.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";

/** The newest event, and how far the rows go that are derived from events. */
export type Head = Omit<Session["t"]["feed_head"]["$inferSelect"], "one">;

// Binds a parameter: Bun pipelines only parameterized statements.
const selectHead = preparedStatement(({ db, dialect, t: { feed_head } }) => {
  const { one, ...columns } = feed_head;
  const { id, ts, listed, derived } = columns;
  const query = db
    .select({ id, ts, listed, derived })
    .from(feed_head)
    .where(eq(one, 1))
    .limit(sql.placeholder("limit"));
  return dialect.reader<Head>(db, query.prepare());
});

/** Reads the head. Its row always exists: a migration inserts it and nothing deletes it. */
export async function readFeedHead(session: Session): Promise<Head> {
  const [head] = await selectHead(session)({ limit: 1 });
  return head as Head;
}

const updateHead = preparedWrite(({ db, t: { feed_head } }) =>
  db
    .update(feed_head)
    .set({
      id: sql`${sql.placeholder("id")}`,
      ts: sql`${sql.placeholder("ts")}`,
      listed: sql`${sql.placeholder("listed")}`,
    })
    .prepare(),
);

/** Moves the head to the newest event, which an append also adds to the posting lists of facets. */
export const moveFeedHead = (session: Session, { id, ts }: Pick<Head, "id" | "ts">): Promise<unknown> =>
  updateHead(session)({ id, ts, listed: id });

const updateDerived = preparedWrite(({ db, t: { feed_head } }) =>
  db
    .update(feed_head)
    .set({ derived: sql`${sql.placeholder("derived")}` })
    .prepare(),
);

/** Records the last event that the rows derived behind appends include; see catch-up.ts. */
export const saveDerived = (session: Session, derived: number): Promise<unknown> =>
  updateDerived(session)({ derived });

/** The condition that the rows derived behind appends include an event. */
export const areDerived = ({ dialect, t: { events } }: Session): SQL =>
  sql`${dialect.unindexed(events.id)} <= (select derived from feed_head)`;
