/** Review policies: one for each project and kind that has one. */

import { and, asc, eq, inArray } from "drizzle-orm";
import type { AssetKind } from "../../../src/library/assets/schema.ts";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { ReviewPolicyRow } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";

type StoredPolicy = Omit<ReviewPolicyRow, "need"> & { need: string };

const parse = ({ need, ...row }: StoredPolicy): ReviewPolicyRow => ({ ...row, need: JSON.parse(need) });

export function policyReads({ db, t: { review_policies: policies } }: Session) {
  const { project, kind } = policies;
  return {
    async reviewPolicies(projects, limit) {
      const rows = await db
        .select()
        .from(policies)
        .where(projects === null ? undefined : inArray(project, [...projects]))
        .orderBy(asc(project), asc(kind))
        .limit(limit);
      return rows.map(parse);
    },
    async reviewPolicy(slug, one) {
      const [row] = await db
        .select()
        .from(policies)
        .where(and(eq(project, slug), eq(kind, one)));
      return row ? parse(row) : null;
    },
  } satisfies Partial<LibraryReads>;
}

export const policyWrites = ({ db, t: { review_policies: policies } }: Session) =>
  ({
    async saveReviewPolicy({ need, ...policy }) {
      const row = { ...policy, need: JSON.stringify(need) };
      await db
        .insert(policies)
        .values(row)
        .onConflictDoUpdate({ target: [policies.project, policies.kind], set: row });
    },
    async removeReviewPolicy(project: string, kind: AssetKind) {
      await db.delete(policies).where(and(eq(policies.project, project), eq(policies.kind, kind)));
    },
  }) satisfies Partial<LibraryWrites>;
