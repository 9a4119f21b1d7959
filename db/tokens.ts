/** Tokens: only their hashes. */
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Reads, Writes } from "../src/data.ts";
import { prepared } from "./prepared.ts";
import type { Session } from "./session.ts";

const byHash = prepared(({ db, t: { tokens } }) =>
  db
    .select()
    .from(tokens)
    .where(eq(tokens.hash, sql.placeholder("hash")))
    .prepare(),
);

export function tokenReads(session: Session): Pick<Reads, "token" | "tokens"> {
  const { db, t } = session;
  return {
    async token(hash) {
      const [row] = await byHash(session).execute({ hash });
      return row ?? null;
    },
    tokens: () => db.select().from(t.tokens).orderBy(asc(t.tokens.created_at), asc(t.tokens.name)),
  };
}

export const tokenWrites = ({ db, t: { tokens } }: Session): Pick<Writes, "addToken" | "revokeToken"> => ({
  async addToken(token) {
    const added = await db.insert(tokens).values(token).onConflictDoNothing({ target: tokens.name }).returning({ name: tokens.name });
    return added.length > 0;
  },
  async revokeToken(name, at) {
    const revoked = await db
      .update(tokens)
      .set({ revoked_at: at })
      .where(and(eq(tokens.name, name), isNull(tokens.revoked_at)))
      .returning({ name: tokens.name });
    return revoked.length > 0;
  },
});
