/** Schemas of assets, their versions, and their lists. */
import { type Static, Type } from "@sinclair/typebox";
import { Provenance } from "../provenance/schema.ts";
import { ReviewRequest } from "../review-requests/schema.ts";
import {
  Actor,
  Choice,
  Count,
  DateTime,
  Line,
  Name,
  Nullable,
  Prose,
  RunId,
  Slug,
  TaskNumber,
  Uri,
} from "../wire.ts";

/** Orders of the asset list. */
export const listOrders = ["newest", "oldest"] as const;

export const assetKinds = ["image", "video", "audio", "pdf", "html", "file"] as const;
export const AssetKind = Choice(assetKinds, {
  description: "Detected from the file's content, not its name.",
});
export type AssetKind = Static<typeof AssetKind>;

export const statuses = ["pending", "approved", "rejected", "superseded", "published"] as const;
export const AssetStatus = Choice(statuses, {
  description: "Review status.",
});
export type AssetStatus = Static<typeof AssetStatus>;

export const ulidPattern = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
export const assetId = (options: object) => Name(64, `^${ulidPattern}$`, options);
export const AssetId = assetId({
  description: "Asset id, a ULID.",
  examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5D"],
});
export const titleBytesMax = 200;
export const Title = Line(titleBytesMax, {
  description: "Defaults to the file name, or to the title of the replaced version.",
  examples: ["Map of the harbor"],
});
export const Description = Prose(16_384, { examples: ["The berths, with the new depths."] });
export const Note = Prose(4096, {
  description: "Reason. Required to reject: it becomes a decision of the project.",
  examples: ["Too dark to print."],
});
export const Tags = Type.Array(Line(64), { maxItems: 32, examples: [["map", "print"]] });
export const Sha256 = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 of the file, in hex.",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
});
/** The operation also accepts the token's own `token:<name>`, which the pattern does not describe. */
export const By = (description: string) => Name(Actor.maxLength, Actor.pattern, { description });
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
    review_request: Nullable(ReviewRequest),
    provenance: Type.Array(Provenance, { description: "How the file was made, as far as anything says." }),
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
