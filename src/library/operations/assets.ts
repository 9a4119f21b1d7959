/** Operations on assets. */

import type { Caller } from "../../core/auth/caller.ts";
import { operationOf } from "../../core/operation.ts";
import { imagesForModels } from "../assets/files/images-for-models.ts";
import { getAsset as loadAsset, listAssets as loadAssets } from "../assets/library.ts";
import { publishAsset as publish } from "../assets/publish.ts";
import {
  AssetPath,
  AssetsQuery,
  AssetUploadForm,
  AssetView,
  FinalizeInput,
  PresignRequest,
  PresignResponse,
  ReviewInput,
  UploadOffer,
  UploadRequest,
} from "../assets/requests.ts";
import { Asset, AssetDetail, AssetList } from "../assets/schema.ts";
import { offerText, offerUpload } from "../assets/upload/command.ts";
import { requestParts } from "../assets/upload/parts.ts";
import { PartsInput, UploadParts } from "../assets/upload/parts-schema.ts";
import {
  finalizeAsset as finalize,
  requestUpload as request,
  uploadAsset as upload,
} from "../assets/upload/upload.ts";
import type { LibraryContext } from "../context.ts";
import { removeMetadata as removeAssetMetadata } from "../provenance/remove-metadata.ts";
import { reviewAsset as review } from "../verdicts/review.ts";

const operation = operationOf<LibraryContext>("assets");

export const listAssets = operation({
  id: "listAssets",
  summary: "List assets",
  description:
    "Pending assets first, then newest first. Their URLs are signed and expire after about an hour.",
  scope: "assets:read",
  http: { method: "GET", path: "/assets", revalidates: true },
  tool: {
    name: "svc_asset_list",
    title: "List assets",
    forPrograms: true,
    unlistedFields: ["task", "file_sha256"],
  },
  input: AssetsQuery,
  output: AssetList,
  run: loadAssets,
});

const oneAsset = {
  summary: "Get an asset",
  description: "One asset with signed URLs, all its versions, and the URL of its task.",
  scope: "assets:read",
  output: AssetDetail,
  run: (ctx: LibraryContext, { id }: AssetPath, caller: Caller) => loadAsset(ctx, id, caller),
} as const;

export const getAsset = operation({
  ...oneAsset,
  id: "getAsset",
  http: { method: "GET", path: "/assets/{id}", errors: [404] },
  input: AssetPath,
});

export const viewAsset = operation({
  ...oneAsset,
  id: "viewAsset",
  tool: { name: "svc_asset_get", title: "Get an asset", reviewCard: true, images: imagesForModels },
  input: AssetView,
});

export const uploadAsset = operation({
  id: "uploadAsset",
  summary: "Upload an asset",
  description:
    "A form with the file as `file` and the metadata as fields, in any order. With `replaces`, it " +
    "becomes the next version of that asset. To upload directly to the store, see requestUpload; " +
    "its JSON body with `presign: true` is still accepted here for compatibility.",
  scope: "assets:write",
  needs: "store",
  http: {
    method: "POST",
    path: "/assets",
    status: 201,
    media: "multipart/form-data",
    body: "AssetUploadForm",
    errors: [404, 409],
  },
  input: AssetUploadForm,
  output: Asset,
  run: upload,
});

export const requestUpload = operation({
  id: "requestUpload",
  summary: "Request an upload URL",
  description:
    "Reserves an asset id and returns an upload URL. PUT the file there with the returned headers, " +
    "then POST `finalize_body` to `finalize_url`.",
  scope: "assets:write",
  needs: "store",
  http: { method: "POST", path: "/assets/presign", status: 201, body: "PresignRequest", errors: [404, 409] },
  input: UploadRequest,
  output: PresignResponse,
  run: request,
});

export const requestUploadParts = operation({
  id: "requestUploadParts",
  summary: "Request URLs for the parts of an upload",
  description:
    "For a reserved upload to a bucket: returns presigned URLs of the parts that have not arrived, at most " +
    "100. PUT each part, and call this again until `missing` is 0, also after an interruption. Then POST " +
    "`finalize_body` to `finalize_url`. A disk store answers 501: send the file to `resumable_url`.",
  scope: "assets:write",
  needs: "store",
  http: { method: "POST", path: "/assets/{id}/parts", body: "PartsRequest", errors: [404, 409] },
  input: PartsInput,
  output: UploadParts,
  run: requestParts,
});

/**
 * The predecessor of `/assets/presign`: the body's media type selected between two operations, which OpenAPI
 * cannot describe, so generated clients mixed up their responses.
 */
export const requestUploadByType = operation({
  ...requestUpload,
  id: "requestUploadByType",
  http: { ...requestUpload.http, method: "POST", path: "/assets", unlisted: true },
  input: PresignRequest,
  run: (ctx, { presign: _, ...upload }: PresignRequest, caller) => request(ctx, upload, caller),
});

export const requestUploadTool = operation({
  id: "requestUploadTool",
  summary: "Get a command that uploads a file",
  description:
    "Reserves an asset id and returns a `curl` command for the file at `filename`. Run it where the " +
    "file is, then call svc_asset_finalize with the returned id and `finalize_body`. The file " +
    "never passes through this conversation.",
  scope: "assets:write",
  writes: true,
  needs: "store",
  tool: {
    name: "svc_asset_request_upload",
    unlistedFields: ["task"],
    forPrograms: true,
    title: "Request an upload URL",
    text: offerText,
    structured: true,
  },
  input: UploadRequest,
  output: UploadOffer,
  run: offerUpload,
});

export const finalizeAsset = operation({
  id: "finalizeAsset",
  summary: "Finalize an upload",
  description:
    "Turns the uploaded file into an asset that waits for a review at `review_url`. Call it once, after " +
    "the upload: then no client can change the file.",
  scope: "assets:write",
  needs: "store",
  http: {
    method: "POST",
    path: "/assets/{id}/finalize",
    status: 201,
    body: "FinalizeRequest",
    errors: [404, 409],
  },
  tool: {
    name: "svc_asset_finalize",
    unlistedFields: ["task"],
    title: "Finalize an upload",
    destructive: true,
    idempotent: true,
  },
  input: FinalizeInput,
  output: Asset,
  run: finalize,
});

export const reviewAsset = operation({
  id: "reviewAsset",
  tag: "reviews",
  summary: "Approve or reject an asset",
  description:
    "A rejection requires a note, open annotations, or failed items of the checklist. They become a " +
    "decision of the project, so the next brief includes them. Your drafts on this version become visible. " +
    "Repeating the call changes nothing.",
  scope: "assets:review",
  http: { method: "PUT", path: "/assets/{id}/review", body: "ReviewRequest", errors: [404, 409] },
  input: ReviewInput,
  output: Asset,
  run: review,
});

export const removeMetadata = operation({
  id: "removeMetadata",
  summary: "Remove metadata from a file",
  description:
    "Adds a version with the same pixels or frames, without text chunks, Exif, XMP, tags and C2PA " +
    "manifest. What the file said stays in the library. For PNG, JPEG, WebP, GIF, and video and audio if " +
    "the server has ffmpeg, before the review.",
  scope: "assets:write",
  needs: "store",
  http: {
    method: "POST",
    path: "/assets/{id}/remove-metadata",
    status: 201,
    media: null,
    errors: [404, 409],
  },
  input: AssetPath,
  output: Asset,
  run: (ctx, { id }, caller) => removeAssetMetadata(ctx, id, caller),
});

export const publishAsset = operation({
  id: "publishAsset",
  summary: "Publish an approved asset",
  description:
    "Copies the approved file to the public store and sets `public_url`, which never changes. " +
    "Publishing again returns the same response.",
  scope: "assets:write",
  needs: "publicStore",
  http: { method: "POST", path: "/assets/{id}/publish", media: null, errors: [404, 409] },
  input: AssetPath,
  output: Asset,
  run: (ctx, { id }, caller) => publish(ctx, id, caller),
});
