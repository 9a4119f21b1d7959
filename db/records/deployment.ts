/**
 * The id of a deployment, kept with where the database was when it was made: a copy is elsewhere, and gets an
 * id of its own.
 */
import { sql } from "drizzle-orm";
import type { Data } from "../../src/data.ts";
import { toProblem } from "../engine/errors.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/sql.ts";

interface Backend {
  readSession: Session;
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  location(): Promise<string>;
}

/** The row, where it was made for this database. */
async function idAt(session: Session, location: string): Promise<string | undefined> {
  const rows = await allRows<{ id: string }>(
    session,
    sql`select id from deployment where location = ${location}`,
  );
  return rows[0]?.id;
}

async function replaceId(session: Session, location: string): Promise<string> {
  const id = crypto.randomUUID();
  await allRows(
    session,
    sql`insert into deployment (one, id, location) values (1, ${id}, ${location})
      on conflict (one) do update set id = excluded.id, location = excluded.location`,
  );
  return id;
}

export function deploymentOf({
  readSession: read,
  outsideTransaction: outside,
  transaction,
  location,
}: Backend): Pick<Data, "deployment" | "renewDeployment"> {
  const translated = <T>(work: Promise<T>) =>
    work.catch((error) => {
      throw toProblem(error);
    });
  return {
    async deployment() {
      const at = await translated(location());
      const id = await translated(outside(() => idAt(read, at)));
      return (
        id ?? translated(transaction(async (session) => (await idAt(session, at)) ?? replaceId(session, at)))
      );
    },
    async renewDeployment() {
      const at = await translated(location());
      await translated(transaction((session) => replaceId(session, at)));
    },
  };
}
