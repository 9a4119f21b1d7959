/** Schemas of assets, their versions, uploads and reviews. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../lib/cursor.ts";
import { FileForm } from "../lib/http/file-form.ts";
import {
  Actor,
  Choice,
  Count,
  DateTime,
  Limit,
  Line,
  Name,
  Nullable,
  Prose,
  RunId,
  Slug,
  TaskNumber,
  Uri,
} from "../wire.ts";

export const assetKinds = ["image", "video", "audio", "pdf", "html", "file"] as const;
export const AssetKind = Choice(assetKinds, {
  description: "Detected from the file's content, not its name.",
});
export type AssetKind = Static<typeof AssetKind>;

const statuses = ["pending", "approved", "rejected", "superseded", "published"] as const;
export const AssetStatus = Choice(statuses, {
  description: "Review status.",
});
export type AssetStatus = Static<typeof AssetStatus>;

const ulidPattern = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const assetId = (options: object) => Name(64, `^${ulidPattern}$`, options);
export const AssetId = assetId({
  description: "Asset id, a ULID.",
  examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5D"],
});
export const titleBytesMax = 200;
const Title = Line(titleBytesMax, {
  description: "Defaults to the file name, or to the title of the replaced version.",
  examples: ["Map of the harbor"],
});
const Description = Prose(16_384, { examples: ["The berths, with the new depths."] });
const Note = Prose(4096, {
  description: "Reason. Required to reject: it becomes a decision of the project.",
  examples: ["Too dark to print."],
});
const Tags = Type.Array(Line(64), { maxItems: 32, examples: [["map", "print"]] });
const Sha256 = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 of the file, in hex.",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
});
/** The operation also accepts the token's own `token:<name>`, which the pattern does not describe. */
const By = (description: string) => Name(Actor.maxLength, Actor.pattern, { description });
const Creator = Type.String({
  description: "Actor, `<kind>:<name>`; `token:<name>` for a token.",
  examples: ["token:ci"],
});
const nullableInteger = (description: string, example: number) =>
  Nullable(Type.Integer({ minimum: 0, description, examples: [example] }));

const assetProperties = {
  id: AssetId,
  title: Type.String({ examples: Title.examples }),
  kind: AssetKind,
  mime: Type.String({ examples: ["image/png"] }),
  size: Count("File size in bytes.", 48_213),
  version: Type.Integer({ minimum: 1 }),
  status: AssetStatus,
  created_by: Creator,
  created_at: DateTime(),
  project: Nullable(Slug),
  issue: Nullable(TaskNumber),
  pr: Nullable(TaskNumber),
  description: Nullable(Type.String({ examples: Description.examples })),
  sha256: Sha256,
  width: nullableInteger("Width in pixels.", 1280),
  height: nullableInteger("Height in pixels.", 720),
  duration_ms: Nullable(Count("Duration in milliseconds.", 8_000)),
  parent_id: Nullable(
    Type.String({ description: "Id of the version this one replaced.", examples: AssetId.examples }),
  ),
  reviewed_by: Nullable(Creator),
  reviewed_at: Nullable(DateTime()),
  review_note: Nullable(Type.String({ examples: Note.examples })),
  public_url: Nullable(Uri({ description: "Permanent URL, once published." })),
  expires_at: Nullable(
    DateTime({ description: "When the file of a rejected or superseded version is deleted." }),
  ),
  tags: Type.Array(Type.String(), { examples: Tags.examples }),
  run_id: Type.Optional(Nullable(RunId("The run that made it."))),
  url: Nullable(Uri({ description: "Signed URL of the file, valid for about an hour." })),
  thumb_url: Nullable(Uri({ description: "Signed URL of the thumbnail." })),
  bundle_url: Nullable(Uri({ description: "For kind html: signed URL of the index page." })),
};

/** Path of files published in a local store. Rows store such a `public_url` relative to it. */
export const mediaPath = "/media";

export const Asset = Type.Object(assetProperties, { $id: "Asset" });
export type Asset = Static<typeof Asset>;

export const AssetVersion = Type.Object(
  {
    id: assetProperties.id,
    version: assetProperties.version,
    status: AssetStatus,
    created_at: assetProperties.created_at,
    created_by: Creator,
    thumb_url: assetProperties.thumb_url,
  },
  { $id: "AssetVersion" },
);
export type AssetVersion = Static<typeof AssetVersion>;

export const AssetDetail = Type.Object(
  {
    ...assetProperties,
    versions: Type.Array(AssetVersion, { description: "All versions, oldest first." }),
    task_url: Nullable(Uri({ description: "URL of the issue or pull request on its forge." })),
  },
  { $id: "AssetDetail" },
);
export type AssetDetail = Static<typeof AssetDetail>;

export const AssetList = Type.Object(
  {
    assets: Type.Array(Asset),
    count: Type.Integer({ minimum: 0, description: "Number of assets on this page.", examples: [1] }),
    next_cursor: Nullable(
      Type.String({ description: "Pass as `cursor` for the next page; null on the last page." }),
    ),
  },
  { $id: "AssetList", description: "Pending assets first, then newest first." },
);
export type AssetList = Static<typeof AssetList>;

export const AssetsQuery = Type.Object({
  project: Type.Optional(Slug),
  status: Type.Optional(AssetStatus),
  kind: Type.Optional(AssetKind),
  issue: Type.Optional(TaskNumber),
  pr: Type.Optional(TaskNumber),
  sha256: Type.Optional(Sha256),
  limit: Limit(50),
  cursor: Type.Optional(Cursor(`[01]${ulidPattern}`)),
});
export type AssetsQuery = Static<typeof AssetsQuery>;

export const AssetPath = Type.Object({ id: AssetId });
export type AssetPath = Static<typeof AssetPath>;

/** A `token` of RFC 9110, section 5.6.2, limited to the characters used in media types. */
const token = "[A-Za-z0-9_.+-]+";
/** `\\x22` instead of a literal quote: Go generators write patterns into struct tags, between quotes. */
const quotedString = "\\x22[A-Za-z0-9_. +-]*\\x22";

const metadata = {
  project: Slug,
  issue: Type.Optional(TaskNumber),
  pr: Type.Optional(TaskNumber),
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  replaces: Type.Optional(
    assetId({ description: "Id of the asset this one replaces; must be its newest version." }),
  ),
  tags: Type.Optional(Tags),
  by: Type.Optional(By("Who made it. Defaults to the token.")),
  run_id: Type.Optional(RunId("The run that made it.")),
};

/** Metadata that every kind of upload takes. */
export const AssetMetadata = Type.Object(metadata, { $id: "AssetMetadata" });
export type AssetMetadata = Static<typeof AssetMetadata>;

export const AssetUploadForm = FileForm(
  Type.Object({
    ...metadata,
    tags: Type.Optional(
      Type.Unsafe<string[]>({ ...Tags, description: "Comma-separated, or one field per tag." }),
    ),
  }),
);

/** Reserves an asset id and a URL to PUT the file to. */
export const UploadRequest = Type.Object({
  ...metadata,
  filename: Line(255, { examples: ["harbor.png"] }),
  content_type: Type.Optional(
    Line(255, {
      pattern: `^${token}/${token}(; *${token}=(${quotedString}|${token}))*$`,
      description: "Media type. Derived from the file name by default.",
      examples: ["image/png"],
    }),
  ),
});
export type UploadRequest = Static<typeof UploadRequest>;

/** Body of the legacy `POST /assets`, where `presign` tells it from an upload. */
export const PresignRequest = Type.Object({ ...UploadRequest.properties, presign: Type.Literal(true) });
export type PresignRequest = Static<typeof PresignRequest>;

export const FinalizeRequest = Type.Object(
  {
    ...metadata,
    key: Line(1024, {
      description: "`key` of the upload request.",
      examples: ["atlas/01J9ZC5W8Q4T3M2N1K0H7G6F5D/harbor.png"],
    }),
  },
  { $id: "FinalizeRequest" },
);
export type FinalizeRequest = Static<typeof FinalizeRequest>;

export const FinalizeInput = Type.Object({ ...AssetPath.properties, ...FinalizeRequest.properties });
export type FinalizeInput = Static<typeof FinalizeInput>;

export const PresignResponse = Type.Object(
  {
    id: AssetId,
    key: Type.String({
      description: "`<project>/<id>/<filename>`",
      examples: FinalizeRequest.properties.key.examples,
    }),
    upload_url: Uri({ description: "PUT the file here, once." }),
    resumable_url: Uri({ description: "Or upload it here in pieces, with tus 1.0." }),
    parts_url: Type.Optional(
      Uri({
        description: "Or send it to the bucket in parts: POST its `size` here. Absent on a disk store.",
      }),
    ),
    method: Type.Literal("PUT"),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Send these with the PUT.",
        examples: [{ "content-type": "image/png" }],
      }),
    ),
    expires_at: DateTime(),
    finalize_url: Uri(),
    finalize_body: FinalizeRequest,
  },
  { $id: "PresignResponse" },
);
export type PresignResponse = Static<typeof PresignResponse>;

/** Without `parts_url`: curl sends the file in one request. */
const { parts_url: _, ...singlePut } = PresignResponse.properties;

export const UploadOffer = Type.Object({
  ...singlePut,
  max_bytes: Count("Maximum file size in bytes."),
  curl: Type.String({
    description: "Uploads the file from a POSIX shell, so its content never passes through the conversation.",
  }),
});
export type UploadOffer = Static<typeof UploadOffer>;

export const ReviewInput = Type.Object(
  {
    ...AssetPath.properties,
    decision: Choice(["approved", "rejected"], { examples: ["rejected"] }),
    note: Type.Optional(Note),
    by: Type.Optional(By("Who reviewed it. Defaults to the token.")),
    sha256: Type.Optional(
      Type.String({
        pattern: Sha256.pattern as string,
        description: "SHA-256 of the file you reviewed; 409 if the asset's differs.",
      }),
    ),
    seen_status: Type.Optional(
      Choice(statuses, {
        description: "`status` when you opened it; 409 if a review has changed it since.",
      }),
    ),
    seen_reviewed_at: Type.Optional(
      Nullable(
        DateTime({
          description: "`reviewed_at` when you opened it; 409 if reviewed since.",
        }),
      ),
    ),
  },
  // Only documentation: the operation checks it with an error message of its own.
  {
    if: { properties: { decision: { const: "rejected" } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { decision: {}, note: {} }, required: ["note"] },
  },
);
export type ReviewInput = Static<typeof ReviewInput>;
