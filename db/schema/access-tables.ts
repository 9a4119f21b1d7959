/** Who may do what, and who did it: tokens, sessions, what a person has read, and the audit log. */
import type { Via } from "../../src/auth/caller.ts";
import type { Scope } from "../../src/auth/scopes.ts";
import type { ColumnKit } from "./columns.ts";

export const defineAccessTables = ({ table, serial, int, text, json }: ColumnKit) => ({
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
  }),
  /**
   * Browser sessions by the hash of their cookie. Never backed up: a restore must not revive a session that
   * was signed out.
   */
  sessions: table("sessions", {
    hash: text().primaryKey(),
    actor: text().notNull(),
    /** Hash of the token used to sign in; the session ends with it. Null when signed in with a link. */
    token: text(),
    opened_at: int().notNull(),
    expires_at: int().notNull(),
  }),
  /** One-time sign-in links by the hash of their secret. Never backed up. */
  sign_in_links: table("sign_in_links", {
    hash: text().primaryKey(),
    actor: text().notNull(),
    expires_at: int().notNull(),
  }),
  /** Up to where each person has read what happened: the `ts` of an event. */
  read_markers: table("read_markers", { reader: text().primaryKey(), ts: int().notNull() }),
  audit: table("audit", {
    id: serial(),
    at: int().notNull(),
    who: text(),
    via: text().$type<Via>().notNull(),
    what: text().notNull(),
    project: text(),
    target: text(),
    status: int().notNull(),
    address: text(),
    request: text(),
    count: int().notNull().default(1),
    /** Refused requests with the same slot are counted in one row. */
    slot: text(),
  }),
});
