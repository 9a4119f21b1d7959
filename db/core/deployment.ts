/**
 * The deployment id, stored together with the location of the database at the time. A copy of the database
 * has another location and gets an id of its own.
 */
import { sql } from "drizzle-orm";
import type { CoreData } from "../../src/core/port.ts";
import type { Backend } from "../engine/backend.ts";
import { toProblem } from "../engine/errors.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/statements.ts";

/** The stored id, if it was generated at this location. */
async function findId(session: Session, location: string): Promise<string | undefined> {
  const rows = await allRows<{ id: string }>(
    session,
    sql`select id from deployment where location = ${location}`,
  );
  return rows[0]?.id;
}

/** Generates and stores a new id. */
async function replaceId(session: Session, location: string): Promise<string> {
  const id = crypto.randomUUID();
  await allRows(
    session,
    sql`insert into deployment (one, id, location) values (1, ${id}, ${location})
      on conflict (one) do update set id = excluded.id, location = excluded.location`,
  );
  return id;
}

/** The part of the port that deals with the deployment id. */
export function deploymentOf({
  readSession,
  outsideTransaction,
  transaction,
  location,
}: Pick<Backend, "readSession" | "outsideTransaction" | "transaction" | "location">): Pick<
  CoreData,
  "deployment" | "renewDeployment"
> {
  const withProblems = <T>(work: Promise<T>) =>
    work.catch((error) => {
      throw toProblem(error);
    });
  return {
    async deployment() {
      const place = await withProblems(location());
      const id = await withProblems(outsideTransaction(() => findId(readSession, place)));
      return (
        id ??
        withProblems(
          transaction(async (session) => (await findId(session, place)) ?? replaceId(session, place)),
        )
      );
    },
    async renewDeployment() {
      const place = await withProblems(location());
      await withProblems(transaction((session) => replaceId(session, place)));
    },
  };
}
