/** The tables of settings, access and the audit log, and of what each person has read. */
import type { Via } from "../../src/core/auth/caller.ts";
import type { Role, Scope } from "../../src/core/auth/scopes.ts";
import type { ColumnKit } from "./columns.ts";

export const defineCoreTables = ({ table, serial, int, text, flag, json }: ColumnKit) => ({
  settings: table("settings", () => ({ name: text().primaryKey(), value: text().notNull() })),
  tokens: table("tokens", () => ({
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
    owner: text(),
    team: text(),
  })),
  people: table("people", () => ({
    id: text().primaryKey(),
    name: text(),
    team: text(),
    created_at: int().notNull(),
    removed_at: int(),
  })),
  /** Email addresses and logins of people; see src/core/people/schema.ts. */
  person_identities: table("person_identities", () => ({
    identity: text().primaryKey(),
    person: text().notNull(),
  })),
  /** Identities of no person; "" counts those that the project does not keep. */
  unmapped_identities: table("unmapped_identities", () => ({
    project: text().notNull(),
    identity: text().notNull(),
    events: int().notNull(),
    last_at: int().notNull(),
  })),
  /**
   * Browser sessions by the hash of their cookie. Never backed up: a restore must not revive a session that
   * was signed out.
   */
  sessions: table("sessions", () => ({
    hash: text().primaryKey(),
    actor: text().notNull(),
    /** Hash of the token that it acts with; the session ends with it. Null: an admin without one. */
    token: text(),
    from_link: flag().notNull(),
    created_with: text(),
    opened_at: int().notNull(),
    expires_at: int().notNull(),
    email: text(),
    identity: text(),
    checked_at: int(),
    device: text(),
    used_at: int(),
  })),
  /** People of an identity provider, and the names under which they act. */
  identities: table("identities", () => ({
    issuer: text().notNull(),
    subject: text().notNull(),
    actor: text().notNull().unique(),
    created_at: int().notNull(),
  })),
  /** One-time sign-in links by the hash of their secret. Never backed up. */
  sign_in_links: table("sign_in_links", () => ({
    hash: text().primaryKey(),
    actor: text().notNull(),
    token: text(),
    created_with: text(),
    expires_at: int().notNull(),
    email: text(),
  })),
  audit: table("audit", () => ({
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
  })),
  /** Up to where each person has read what happened: the `ts` of an event. */
  read_markers: table("read_markers", () => ({ reader: text().primaryKey(), ts: int().notNull() })),
  /** What each person marked as done in the inbox, or snoozed. */
  inbox_marks: table("inbox_marks", () => ({
    reader: text().notNull(),
    item: text().notNull(),
    /** Hides the item if its cause is not newer. */
    at: int().notNull(),
    /** When the snooze ends; null when it is done. */
    until: int(),
  })),
  /** The filters of lists that each person gave a name. */
  saved_views: table("saved_views", () => ({
    reader: text().notNull(),
    path: text().notNull(),
    name: text().notNull(),
    query: text().notNull(),
  })),
});
