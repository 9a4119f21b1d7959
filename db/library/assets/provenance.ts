/** How the files of assets were made. */

import { eq, inArray, sql } from "drizzle-orm";
import type { Provenance } from "../../../src/files/provenance/schema.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";

const selectStated = preparedStatement(({ db, t: { provenance } }) =>
  db
    .select({ stated: provenance.stated })
    .from(provenance)
    .where(eq(provenance.asset, sql.placeholder("asset")))
    .prepare(),
);

export const provenanceReads = (session: Session) =>
  ({
    async provenance(asset) {
      const [row] = await selectStated(session).execute({ asset });
      return row ? (JSON.parse(row.stated) as Provenance[]) : [];
    },
    async provenanceOf(assets) {
      if (assets.length === 0) return new Map();
      const { asset, stated } = session.t.provenance;
      const rows = await session.db
        .select({ asset, stated })
        .from(session.t.provenance)
        .where(inArray(asset, [...assets]));
      return new Map(rows.map((row) => [row.asset, JSON.parse(row.stated) as Provenance[]]));
    },
  }) satisfies Partial<LibraryReads>;

export const provenanceWrites = ({ db, t: { provenance } }: Session) =>
  ({
    async addProvenance(asset, project, stated) {
      await db.insert(provenance).values({ asset, project, stated: JSON.stringify(stated) });
    },
    async removeProvenance(asset) {
      await db.delete(provenance).where(eq(provenance.asset, asset));
    },
  }) satisfies Partial<LibraryWrites>;
