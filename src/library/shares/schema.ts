/** Schemas of share links: URLs that show assets to people without a token. */
import { type Static, Type } from "@sinclair/typebox";
import { ReviewRole } from "../../core/auth/review-role.ts";
import { Cursor } from "../../core/lib/cursor.ts";
import { Choice, Count, DateTime, EmailAddress, Limit, Line, Nullable, Slug } from "../../core/wire.ts";
import { AssetId, AssetKind, assetId, SetName, Sha256, ulidPattern } from "../assets/schema.ts";

const shareSubjects = ["asset", "set", "queue"] as const;
const ShareSubject = Choice(shareSubjects, {
  description:
    "What the link shows: one asset, the newest versions of a variant set, or what waits for a review in " +
    "the project, also what comes later.",
});
export type ShareSubject = Static<typeof ShareSubject>;

/** What a share link allows; each right includes those before it. */
export const shareRights = ["view", "comment", "verdict"] as const;
export const ShareRights = Choice(shareRights, {
  description: "What people with the link can do. `comment` includes `view`, and `verdict` both.",
  examples: ["verdict"],
});
export type ShareRights = Static<typeof ShareRights>;

/** What people with the link can do, in words. */
export const rightsText: Record<ShareRights, string> = {
  view: "view",
  comment: "view and comment",
  verdict: "view, comment, approve, and reject",
};

const shareFollows = ["fixed", "latest"] as const;
export const ShareFollows = Choice(shareFollows, {
  description: "`fixed`: this version only. `latest`: always the newest version.",
});
export type ShareFollows = Static<typeof ShareFollows>;

const shareAnnotations = ["own", "all"] as const;
export const ShareAnnotations = Choice(shareAnnotations, {
  description:
    "Which annotations its page shows. `own`: those that came through this link. `all`: also those of your " +
    "team and of other links, without names; never drafts.",
});
export type ShareAnnotations = Static<typeof ShareAnnotations>;

/** Whether a link works; `suspended` while the token of its creator no longer permits it. */
const shareStates = ["active", "expired", "revoked", "suspended"] as const;
const ShareState = Choice(shareStates, {
  description:
    "`suspended`: the token of its creator was revoked, has expired, or no longer has the permission.",
});
export type ShareState = Static<typeof ShareState>;

/** Actions in the log of a share. */
const shareActions = ["opened", "viewed", "commented", "approved", "rejected", "downloaded"] as const;
export const ShareAction = Choice(shareActions, {
  description: "`opened`: the link was opened. `viewed`: a version was shown.",
});
export type ShareAction = Static<typeof ShareAction>;

const nameSources = ["typed", "recipient", "mailed"] as const;
const NameSource = Choice(nameSources, {
  description:
    "Whose name is on what people do with the link. `typed`: the one that they type. `recipient`: that of " +
    "the person whom it was made for. `mailed`: the same, and the link was mailed to that person and shown " +
    "to no one else.",
});
export type NameSource = Static<typeof NameSource>;

export const recipientBytesMax = 120;
const Label = Line(recipientBytesMax, {
  description: "Whom the link is for: a label, shown to your team and as the watermark.",
  examples: ["Ana at Harbor Ltd"],
});
export const Passphrase = Type.Unsafe<string>({
  ...Line(256, { description: "Asked for when the link is opened. Only its Argon2id hash is stored." }),
  minLength: 8,
  examples: ["quiet harbor lantern"],
});
export const Role = Type.Unsafe<string>({
  ...ReviewRole,
  description: "The role that its reviews count for in a review policy; you need the role yourself.",
});
const Expiry = DateTime({ description: "When the link stops working.", examples: ["2030-01-02T15:00:00Z"] });
const ShareId = assetId({ description: "Id of the share link.", examples: AssetId.examples });

const shareProperties = {
  id: ShareId,
  subject: ShareSubject,
  asset_id: Nullable(AssetId),
  project: Slug,
  set: Nullable(Type.String({ description: "Of the subject `set`.", examples: ["hero image"] })),
  kind: Nullable(
    Type.Unsafe<AssetKind>({
      ...AssetKind,
      description: "Of the subject `queue`: only assets of this kind.",
    }),
  ),
  tag: Nullable(
    Type.String({ description: "Of the subject `queue`: only assets with this tag.", examples: ["map"] }),
  ),
  follows: ShareFollows,
  rights: ShareRights,
  annotations: ShareAnnotations,
  role: Nullable(Type.String({ examples: Role.examples })),
  recipient: Type.String({ examples: Label.examples }),
  name_source: NameSource,
  expires_at: Expiry,
  has_passphrase: Type.Boolean(),
  allow_download: Type.Boolean(),
  created_by: Type.String({ description: "Actor, `<kind>:<name>`.", examples: ["human:maria"] }),
  created_at: DateTime(),
  revoked_at: Nullable(DateTime()),
  revoked_by: Nullable(Type.String({ examples: ["human:maria"] })),
  state: ShareState,
  views: Count("How often the link was opened.", 3),
};
export const Share = Type.Object(shareProperties, {
  $id: "Share",
  description: "A share link, without its secret.",
});
export type Share = Static<typeof Share>;

export const CreatedShare = Type.Object(
  {
    ...shareProperties,
    url: Nullable(
      Type.String({
        format: "uri",
        description: "The link, this once: only its hash is stored. Null if it was mailed.",
      }),
    ),
    mail_problem: Nullable(
      Type.String({
        description: "Why the link could not be mailed: send it yourself.",
        examples: [null],
      }),
    ),
  },
  { $id: "CreatedShare" },
);
export type CreatedShare = Static<typeof CreatedShare>;

export const CreatedShares = Type.Object(
  { shares: Type.Array(CreatedShare) },
  { $id: "CreatedShares", description: "One link, or one for each of `recipients`, in their order." },
);
export type CreatedShares = Static<typeof CreatedShares>;

export const ShareList = Type.Object(
  {
    shares: Type.Array(Share),
    next_cursor: Nullable(Type.String({ description: "Pass as `cursor` for the next page." })),
  },
  { $id: "ShareList", description: "Newest first." },
);
export type ShareList = Static<typeof ShareList>;

/** The size of a name that a person can have. */
export const nameBytesMax = 64;
const recipientsMax = 20;
const Recipient = Type.Object({
  name: Line(nameBytesMax, { description: "Name of one person.", examples: ["Ana Lima"] }),
  email: Type.Optional(EmailAddress("Where svc mails the link. It is not stored.", "ana@example.com")),
});
export type Recipient = Static<typeof Recipient>;

/** What links to all subjects have in common. */
const newShareFields = {
  recipient: Type.Optional(Label),
  recipients: Type.Optional(
    Type.Array(Recipient, {
      minItems: 1,
      maxItems: recipientsMax,
      description: "Instead: people, each of whom gets a link of their own, which reviews under their name.",
    }),
  ),
  rights: Type.Optional(Type.Unsafe<ShareRights>({ ...ShareRights, default: "view" })),
  annotations: Type.Optional(Type.Unsafe<ShareAnnotations>({ ...ShareAnnotations, default: "own" })),
  role: Type.Optional(Role),
  expires_at: Type.Optional(
    DateTime({
      description:
        "When the link stops working: by default after 14 days, at most after `SVC_SHARE_DAYS`, which are " +
        "366 unless set.",
    }),
  ),
  passphrase: Type.Optional(Passphrase),
  allow_download: Type.Optional(Type.Boolean({ default: false })),
};

export const NewShare = Type.Object({
  id: AssetId,
  follows: Type.Optional(Type.Unsafe<ShareFollows>({ ...ShareFollows, default: "fixed" })),
  ...newShareFields,
});
export type NewShare = Static<typeof NewShare>;

export const NewProjectShare = Type.Object({
  slug: Slug,
  set: Type.Optional({ ...SetName, description: "Show this variant set instead of the review queue." }),
  kind: Type.Optional(Type.Unsafe<AssetKind>({ ...AssetKind, description: "Only assets of this kind." })),
  tag: Type.Optional(Line(64, { description: "Only assets with this tag.", examples: ["map"] })),
  ...newShareFields,
});
export type NewProjectShare = Static<typeof NewProjectShare>;

export const SharePath = Type.Object({ id: ShareId });
export type SharePath = Static<typeof SharePath>;

/** Nothing else of a share can change: for other rights, create another one. */
export const ShareUpdate = Type.Object({
  id: ShareId,
  recipient: Type.Optional(Label),
  expires_at: Type.Optional(
    DateTime({ description: "Earlier than before.", examples: ["2026-01-02T15:00:00Z"] }),
  ),
});
export type ShareUpdate = Static<typeof ShareUpdate>;

export const ShareRenewal = Type.Object({
  id: ShareId,
  expires_at: newShareFields.expires_at,
});
export type ShareRenewal = Static<typeof ShareRenewal>;

export const SharesQuery = Type.Object({
  project: Type.Optional(Slug),
  asset: Type.Optional(assetId({ description: "Only links to this asset, whichever version." })),
  limit: Limit(50),
  cursor: Type.Optional(Cursor(ulidPattern)),
});
export type SharesQuery = Static<typeof SharesQuery>;

export const ShareLogQuery = Type.Object({
  id: ShareId,
  limit: Limit(50),
  cursor: Type.Optional(Cursor("[\\w-]{26}")),
});
export type ShareLogQuery = Static<typeof ShareLogQuery>;

const ShareLogEntry = Type.Object({
  at: DateTime({ description: "When; of several in one hour, the last." }),
  action: ShareAction,
  count: Type.Integer({ minimum: 1, description: "How often in this hour.", examples: [1] }),
  name: Nullable(
    Type.String({
      description: "The name that was typed, not verified, or of the person it was made for.",
      examples: ["Ana"],
    }),
  ),
  network: Type.String({
    description: "Where from: the first 24 bits of an IPv4 address, or 48 of IPv6.",
    examples: ["192.0.2.0/24"],
  }),
  asset_id: Nullable(AssetId),
  sha256: Nullable(Sha256),
});

/** How long the log of a share link is kept. */
export const shareLogDays = 90;

export const ShareLog = Type.Object(
  {
    entries: Type.Array(ShareLogEntry),
    next_cursor: Nullable(Type.String({ description: "Pass as `cursor` for the next page." })),
  },
  { $id: "ShareLog", description: `Newest first, the last ${shareLogDays} days.` },
);
export type ShareLog = Static<typeof ShareLog>;
