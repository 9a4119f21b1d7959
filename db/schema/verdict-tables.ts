/** The tables of verdicts, review policies and checklists. */
import type { AssetKind } from "../../src/library/assets/schema.ts";
import type { Verdict } from "../../src/library/verdicts/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineVerdictTables = ({ table, int, text, flag }: ColumnKit) => ({
  /** The last verdict of each voter on each version. */
  verdicts: table("verdicts", {
    asset: text().notNull(),
    voter: text().notNull(),
    /** The voter that vouches for a share link, else the voter itself: one approval counts for each. */
    principal: text().notNull(),
    project: text().notNull(),
    sha256: text().notNull(),
    reviewer: text().notNull(),
    role: text(),
    decision: text().$type<Verdict["decision"]>().notNull(),
    note: text(),
    /** JSON text: the answers to a version of the checklist. */
    checklist: text(),
    at: int().notNull(),
    /** Whether the asset is pending. */
    is_open: flag().notNull(),
  }),
  /** The projects that refuse files that they have rejected. */
  repeat_policies: table("repeat_policies", {
    project: text().primaryKey(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  }),
  review_policies: table("review_policies", {
    project: text().notNull(),
    kind: text().$type<AssetKind>().notNull(),
    /** JSON text: a list of roles and counts. */
    need: text().notNull(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  }),
  /** Every version of each checklist; the last one counts. */
  checklists: table("checklists", {
    project: text().notNull(),
    kind: text().$type<AssetKind>().notNull(),
    version: int().notNull(),
    /** JSON text: a list of items. */
    items: text().notNull(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  }),
});
