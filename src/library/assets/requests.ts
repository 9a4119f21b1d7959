/** Schemas of what callers send about assets: filters, metadata, uploads, reviews. */

import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import { FileForm } from "../../core/lib/http/file-form.ts";
import {
  Choice,
  Count,
  DateTime,
  Limit,
  Line,
  Nullable,
  Slug,
  TaskKey,
  TaskNumber,
  Uri,
} from "../../core/wire.ts";
import { AnchorInput, anchorsMax } from "../../memory/anchor-schema.ts";
import { Rules } from "../../memory/checks/schema.ts";
import { AnswersInput } from "../checklists/schema.ts";
import {
  AssetId,
  AssetKind,
  AssetStatus,
  By,
  listOrders,
  metadata,
  Note,
  SetName,
  Sha256,
  statuses,
  Tags,
  ulidPattern,
} from "./schema.ts";

export const AssetsQuery = Type.Object({
  project: Type.Optional(Slug),
  status: Type.Optional(AssetStatus),
  kind: Type.Optional(AssetKind),
  issue: Type.Optional(TaskNumber),
  pr: Type.Optional({ ...TaskNumber, description: "Pull request." }),
  task: Type.Optional(TaskKey),
  sha256: Type.Optional(Sha256),
  file_sha256: Type.Optional(
    Type.String({
      pattern: Sha256.pattern as string,
      description: "SHA-256 of its file, or of one in its bundle.",
    }),
  ),
  set: Type.Optional(SetName),
  query: Type.Optional(Line(200, { description: "Words of title, file, set, and tags." })),
  versions: Type.Optional(Choice(["all", "newest"], { default: "all" })),
  order: Type.Optional(Choice(listOrders, { default: "newest", description: "`oldest` reverses the list." })),
  limit: Limit(50),
  cursor: Type.Optional(Cursor(`[01]${ulidPattern}`)),
});
export type AssetsQuery = Static<typeof AssetsQuery>;

export const AssetPath = Type.Object({ id: AssetId });
export type AssetPath = Static<typeof AssetPath>;

export const AssetView = Type.Object({
  ...AssetPath.properties,
  image: Type.Optional(
    Type.Boolean({ default: false, description: "Also show it, with its open annotations drawn on it." }),
  ),
});

/** A `token` of RFC 9110, section 5.6.2, limited to the characters used in media types. */
const token = "[A-Za-z0-9_.+-]+";
/** `\\x22` instead of a literal quote: Go generators write patterns into struct tags, between quotes. */
const quotedString = "\\x22[A-Za-z0-9_. +-]*\\x22";

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
  rejection: Type.Optional(Type.String({ description: "Why the version that it replaces was rejected." })),
  curl: Type.String({
    description: "Uploads the file from a POSIX shell, so its content never passes through the conversation.",
  }),
});
export type UploadOffer = Static<typeof UploadOffer>;

export const ReviewInput = Type.Object({
  ...AssetPath.properties,
  decision: Choice(["approved", "rejected"], { examples: ["rejected"] }),
  note: Type.Optional(Note),
  anchors: Type.Optional(
    Type.Array(AnchorInput, {
      maxItems: anchorsMax,
      description: "Of a rejection: files that its decision speaks of.",
    }),
  ),
  checks: Type.Optional({ ...Rules, description: "Of a rejection: what programs check from now on." }),
  checklist: Type.Optional(AnswersInput),
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
});
export type ReviewInput = Static<typeof ReviewInput>;
