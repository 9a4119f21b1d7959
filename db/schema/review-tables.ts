/** The tables of reviews: annotations, verdicts and their rules, review requests, share links. */
import type { Weight } from "../../src/files/probe/marks/schema.ts";
import type { Origin, State } from "../../src/library/annotations/schema.ts";
import type { AssetKind } from "../../src/library/assets/schema.ts";
import type {
  NameSource,
  ShareAction,
  ShareAnnotations,
  ShareFollows,
  ShareRights,
  ShareSubject,
} from "../../src/library/shares/schema.ts";
import type { Verdict } from "../../src/library/verdicts/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineReviewTables = ({ table, int, text, flag }: ColumnKit) => ({
  /** Annotations and their replies, which have the number of their thread. */
  annotations: table("annotations", () => ({
    id: text().primaryKey(),
    project: text().notNull(),
    /** Id of the asset's first version. */
    chain: text().notNull(),
    asset_id: text().notNull(),
    version: int().notNull(),
    sha256: text().notNull(),
    n: int().notNull(),
    parent_id: text(),
    body: text().notNull(),
    weight: text().$type<Weight>().notNull(),
    /** See `rankOf`. */
    rank: int().notNull(),
    by: text().notNull(),
    /** Who may see it while it is a draft. */
    reader: text().notNull(),
    origin: text().$type<Origin>().notNull(),
    created_at: int().notNull(),
    state: text().$type<State>().notNull(),
    state_by: text(),
    state_at: int(),
    addressed_in: text(),
    reopened: int().notNull(),
    honoured_version: int(),
    urgent_at: int(),
    /** JSON text of a `Target`. */
    target: text(),
  })),
  /** The last verdict of each voter on each version. */
  verdicts: table("verdicts", () => ({
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
  })),
  /** The projects that refuse files that they have rejected. */
  repeat_policies: table("repeat_policies", () => ({
    project: text().primaryKey(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  })),
  review_policies: table("review_policies", () => ({
    project: text().notNull(),
    kind: text().$type<AssetKind>().notNull(),
    /** JSON text: a list of roles and counts. */
    need: text().notNull(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  })),
  /** Every version of each checklist; the last one counts. */
  checklists: table("checklists", () => ({
    project: text().notNull(),
    kind: text().$type<AssetKind>().notNull(),
    version: int().notNull(),
    /** JSON text: a list of items. */
    items: text().notNull(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  })),
  /** The open requests: a request is deleted when its asset is reviewed or replaced. */
  review_requests: table("review_requests", () => ({
    asset: text().primaryKey(),
    project: text().notNull(),
    sha256: text().notNull(),
    asked_by: text().notNull(),
    /** JSON text: a list of names of tokens and roles. */
    reviewers: text().notNull(),
    question: text(),
    due_at: int(),
    /** `due_at`, or the greatest integer without one: the order of lists. */
    sort_at: int().notNull(),
    created_at: int().notNull(),
    /** When the next reminder is due; null when there are no more. */
    remind_at: int(),
    reminders: int().notNull(),
    reminded_at: int(),
  })),
  /** A row for each reviewer of an open request; "" stands for everyone who can review. */
  requested_reviewers: table("requested_reviewers", () => ({
    reviewer: text().notNull(),
    project: text().notNull(),
    sort_at: int().notNull(),
    asset: text().notNull(),
  })),
  /** Share links, by the hash of their secret. Rows of revoked and expired ones stay. */
  shares: table("shares", () => ({
    id: text().primaryKey(),
    hash: text().notNull(),
    project: text().notNull(),
    asset: text(),
    root_id: text(),
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
    subject: text().$type<ShareSubject>().notNull().default("asset"),
    set: text(),
    kind: text().$type<AssetKind>(),
    tag: text(),
    name_source: text().$type<NameSource>().notNull().default("typed"),
  })),
  /** What people did with a link, for 90 days; entries with the same slot are counted in one row. */
  share_views: table("share_views", () => ({
    share: text().notNull(),
    slot: text().notNull(),
    at: int().notNull(),
    action: text().$type<ShareAction>().notNull(),
    count: int().notNull().default(1),
    name: text(),
    network: text().notNull(),
    asset: text(),
    sha256: text(),
  })),
  /** Passphrases that were tried in the last hour. Never backed up. */
  share_attempts: table("share_attempts", () => ({
    id: text().primaryKey(),
    share: text().notNull(),
    client: text().notNull(),
    at: int().notNull(),
  })),
});
