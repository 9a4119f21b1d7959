/** The tables of share links. */
import type {
  ShareAction,
  ShareAnnotations,
  ShareFollows,
  ShareRights,
} from "../../src/library/shares/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineShareTables = ({ table, int, text, flag }: ColumnKit) => ({
  /** Share links, by the hash of their secret. Rows of revoked and expired ones stay. */
  shares: table("shares", {
    id: text().primaryKey(),
    hash: text().notNull(),
    project: text().notNull(),
    asset: text().notNull(),
    root_id: text().notNull(),
    follows: text().$type<ShareFollows>().notNull(),
    rights: text().$type<ShareRights>().notNull(),
    role: text(),
    recipient: text().notNull(),
    expires_at: int().notNull(),
    passphrase: text(),
    allow_download: flag().notNull(),
    created_by: text().notNull(),
    creator: text(),
    created_at: int().notNull(),
    revoked_at: int(),
    revoked_by: text(),
    reviewer: text(),
    views: int().notNull().default(0),
    annotations: text().$type<ShareAnnotations>().notNull().default("own"),
  }),
  /** What people did with a link, for 90 days; entries with the same slot are counted in one row. */
  share_views: table("share_views", {
    share: text().notNull(),
    slot: text().notNull(),
    at: int().notNull(),
    action: text().$type<ShareAction>().notNull(),
    count: int().notNull().default(1),
    name: text(),
    network: text().notNull(),
    asset: text(),
    sha256: text(),
  }),
  /** Passphrases that were tried in the last hour. Never backed up. */
  share_attempts: table("share_attempts", {
    id: text().primaryKey(),
    share: text().notNull(),
    client: text().notNull(),
    at: int().notNull(),
  }),
});
