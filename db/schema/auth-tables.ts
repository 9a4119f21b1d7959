/** The tables of tokens, sessions and sign-in links. */
import type { Role, Scope } from "../../src/core/auth/scopes.ts";
import type { ColumnKit } from "./columns.ts";

export const defineAuthTables = ({ table, int, text, flag, json }: ColumnKit) => ({
  tokens: table("tokens", {
    name: text().primaryKey(),
    hash: text().notNull(),
    scopes: json().$type<Scope[]>().notNull(),
    projects: json().$type<string[]>(),
    created_at: int().notNull(),
    expires_at: int(),
    revoked_at: int(),
    last_used_at: int(),
    previous_hash: text(),
    previous_until: int(),
    review_role: text(),
    role: text().$type<Role>(),
    agent_at: int(),
  }),
  /**
   * Browser sessions by the hash of their cookie. Never backed up: a restore must not revive a session that
   * was signed out.
   */
  sessions: table("sessions", {
    hash: text().primaryKey(),
    actor: text().notNull(),
    /** Hash of the token that it acts with; the session ends with it. Null: an admin without one. */
    token: text(),
    from_link: flag().notNull(),
    created_with: text(),
    opened_at: int().notNull(),
    expires_at: int().notNull(),
    email: text(),
  }),
  /** One-time sign-in links by the hash of their secret. Never backed up. */
  sign_in_links: table("sign_in_links", {
    hash: text().primaryKey(),
    actor: text().notNull(),
    token: text(),
    created_with: text(),
    expires_at: int().notNull(),
    email: text(),
  }),
});
