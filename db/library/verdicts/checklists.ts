/** Checklists, with all their versions. */

import { and, desc, eq } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";

export const checklistReads = ({ db, t: { checklists } }: Session) =>
  ({
    async checklist(project, kind, version) {
      const [row] = await db
        .select()
        .from(checklists)
        .where(
          and(
            eq(checklists.project, project),
            eq(checklists.kind, kind),
            version === undefined ? undefined : eq(checklists.version, version),
          ),
        )
        .orderBy(desc(checklists.version))
        .limit(1);
      return row ? { ...row, items: JSON.parse(row.items) } : null;
    },
  }) satisfies Partial<LibraryReads>;

export const checklistWrites = ({ db, t: { checklists } }: Session) =>
  ({
    async addChecklist({ items, ...checklist }) {
      await db.insert(checklists).values({ ...checklist, items: JSON.stringify(items) });
    },
  }) satisfies Partial<LibraryWrites>;
