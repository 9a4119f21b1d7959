/** People of an identity provider. */
import { and, eq } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../../src/core/port.ts";
import type { Session } from "../../engine/session.ts";

export const identityReads = ({ db, t: { identities } }: Session) =>
  ({
    async identity(issuer, subject) {
      const isTheirs = and(eq(identities.issuer, issuer), eq(identities.subject, subject));
      const [row] = await db.select().from(identities).where(isTheirs);
      return row ?? null;
    },
    async identityNamed(actor) {
      const [row] = await db.select().from(identities).where(eq(identities.actor, actor));
      return row ?? null;
    },
  }) satisfies Partial<CoreReads>;

export const identityWrites = ({ db, t: { identities } }: Session) =>
  ({
    async addIdentity(row) {
      await db.insert(identities).values(row);
    },
  }) satisfies Partial<CoreWrites>;
