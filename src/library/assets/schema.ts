/** Schemas of assets, their versions, and their lists. */
import { type Static, Type } from "@sinclair/typebox";
import {
  Actor,
  Choice,
  Count,
  DateTime,
  Id,
  Line,
  Name,
  NextCursor,
  Nullable,
  Prose,
  RunId,
  ShownTaskKey,
  Slug,
  TaskKey,
  TaskNumber,
  Uri,
} from "../../core/wire.ts";
import { kinds } from "../../files/probe/kind.ts";
import { madeWith, Provenance } from "../../files/provenance/schema.ts";
import { AnnotationSummary } from "../annotations/schema.ts";
import { Removal } from "../removals/schema.ts";
import { Repeats, Resubmit } from "../repeats/schema.ts";
import { ReviewRequest } from "../review-requests/schema.ts";
import { Approvals, decisions, Verdict } from "../verdicts/schema.ts";
import { AssetId, assetId, ReviewUrl, Sha256 } from "./ids.ts";

export { AssetId, assetId, ReviewUrl, Sha256, ulidPattern } from "./ids.ts";

/** Orders of the asset list. */
export const listOrders = ["newest", "oldest", "title"] as const;

export const AssetKind = Choice(kinds, {
  description: "Detected from the file's content, not its name.",
});
export type AssetKind = Static<typeof AssetKind>;
export { kinds as assetKinds } from "../../files/probe/kind.ts";

export const statuses = ["pending", "approved", "rejected", "superseded", "published"] as const;
export const AssetStatus = Choice(statuses, {
  description: "Review status.",
});
export type AssetStatus = Static<typeof AssetStatus>;

export const titleBytesMax = 200;
export const Title = Line(titleBytesMax, {
  description: "Defaults to the file name, or to the title of the replaced version.",
  examples: ["Map of the harbor"],
});
export const Description = Prose(16_384, { examples: ["The berths, with the new depths."] });
export const Note = Prose(4096, {
  description:
    "Reason; it becomes a decision of the project. Required to reject without open annotations and failed " +
    "items of the checklist.",
  examples: ["Too dark to print."],
});
export const Tags = Type.Array(Line(64), { maxItems: 32, examples: [["map", "print"]] });
export const SetName = Line(128, { description: "Variant set." });
/** The operation also accepts the token's own `token:<name>`, which the pattern does not describe. */
export const By = (description: string) => Name(Actor.maxLength, Actor.pattern, { description });
const Creator = Type.String({
  description: "Actor, `<kind>:<name>`; `token:<name>` for a token.",
  examples: ["token:ci"],
});
const nullableInteger = (description: string, example: number) =>
  Nullable(Type.Integer({ minimum: 0, description, examples: [example] }));

export const BrokenLimit = Type.Object(
  {
    decision: Id({ examples: [31] }),
    text: Type.String({ description: "The words of the decision.", examples: ["Posters load quickly."] }),
    actor: Type.String({ description: "Who decided.", examples: ["human:mara"] }),
    limit: Type.String({ examples: ["files at most 200 KB"] }),
    found: Type.String({ description: "What the file has instead.", examples: ["301200 bytes"] }),
  },
  { $id: "BrokenLimit" },
);
export type BrokenLimit = Static<typeof BrokenLimit>;

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
  task: Type.Optional(ShownTaskKey),
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
  repeats: Type.Optional(Nullable(Repeats)),
  limits: Type.Optional(
    Type.Array(BrokenLimit, {
      description: "Limits of decisions that it breaks; of uploads and single assets. They decide nothing.",
    }),
  ),
  set: Type.Optional(
    Nullable(Type.String({ description: "Variant set that it belongs to.", examples: ["hero image"] })),
  ),
  url: Nullable(Uri({ description: "Signed URL of the file, valid for about an hour." })),
  thumb_url: Nullable(Uri({ description: "Signed URL of the thumbnail." })),
  bundle_url: Nullable(Uri({ description: "For kind html: signed URL of the index page." })),
  review_url: Type.Optional(ReviewUrl),
};

/** What an upload gives of the asset: a column of it for each. */
export const givenFields = {
  issue: Type.Optional(TaskNumber),
  pr: Type.Optional(TaskNumber),
  task: Type.Optional(TaskKey),
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  set: Type.Optional(SetName),
};

export const metadata = {
  project: Slug,
  ...givenFields,
  replaces: Type.Optional(assetId({ description: "Id of the asset it replaces, of its newest version." })),
  by: Type.Optional(By("Who made it. Defaults to the token.")),
  run_id: Type.Optional(RunId("Default: your running run.")),
  resubmit: Type.Optional(Resubmit),
  ...madeWith,
};

/** Metadata that every kind of upload takes. */
export const AssetMetadata = Type.Object(metadata, { $id: "AssetMetadata" });
export type AssetMetadata = Static<typeof AssetMetadata>;

/** Path of files published in a local store. Rows store such a `public_url` relative to it. */
export const mediaPath = "/media";

export const Asset = Type.Object(assetProperties, { $id: "Asset" });
export type Asset = Static<typeof Asset>;

export const AssetVersion = Type.Object(
  {
    id: assetProperties.id,
    version: assetProperties.version,
    status: AssetStatus,
    verdict: Nullable(Choice(decisions)),
    reviewed_by: Nullable(Creator),
    created_at: assetProperties.created_at,
    created_by: Creator,
    thumb_url: assetProperties.thumb_url,
  },
  { $id: "AssetVersion" },
);
export type AssetVersion = Static<typeof AssetVersion>;

export const AnnotatedImage = Type.Object(
  {
    url: Uri({ description: "Signed URL of a WebP image, made when it is first requested." }),
    n: Type.Array(Type.Integer({ minimum: 1 }), { description: "Numbers on its pins.", examples: [[1, 3]] }),
    t_ms: nullableInteger("For a video: time of the frame, in milliseconds.", 12_400),
    page: nullableInteger("For a PDF: the page.", 3),
  },
  { $id: "AnnotatedImage" },
);
export type AnnotatedImage = Static<typeof AnnotatedImage>;

export const AssetDetail = Type.Object(
  {
    ...assetProperties,
    versions: Type.Array(AssetVersion, { description: "All versions, oldest first." }),
    task_url: Nullable(Uri({ description: "URL of the issue or pull request on its forge." })),
    review_request: Nullable(ReviewRequest),
    annotations: Type.Array(AnnotationSummary, {
      description:
        "Annotations of all versions that no person has confirmed yet: reopened ones first, then by " +
        "weight, at most 50, each followed by its replies.",
    }),
    annotations_total: Type.Integer({ minimum: 0, description: "How many such annotations there are." }),
    annotated_images: Type.Array(AnnotatedImage, {
      description:
        "Images of this version with its annotations of that list drawn on them: the image, frames of a " +
        "video, or pages of a PDF, the most urgent first, at most 8.",
    }),
    approvals: Nullable(Approvals),
    approved_as: Nullable(
      Type.Object(
        { id: AssetId, version: assetProperties.version },
        { description: "An earlier version with the same file, which was approved." },
      ),
    ),
    verdicts: Type.Array(Verdict, { description: "Of this version, oldest first." }),
    provenance: Type.Array(Provenance, { description: "How the file was made, as far as anything says." }),
    removals: Type.Array(Removal, { description: "What was taken back of it." }),
  },
  { $id: "AssetDetail" },
);
export type AssetDetail = Static<typeof AssetDetail>;

export const AssetList = Type.Object(
  {
    assets: Type.Array(Asset),
    count: Type.Integer({ minimum: 0, description: "Number of assets on this page.", examples: [1] }),
    next_cursor: NextCursor,
  },
  { $id: "AssetList", description: "Pending assets first, then newest first." },
);
export type AssetList = Static<typeof AssetList>;
