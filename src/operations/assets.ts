import { getAsset as assetInFull, listAssets as assetsPage } from "../assets/library.ts";
import { publishAsset as publish } from "../assets/publish.ts";
import { reviewAsset as review } from "../assets/review.ts";
import {
  Asset,
  AssetDetail,
  AssetList,
  AssetPath,
  AssetsQuery,
  AssetUploadForm,
  FinalizeInput,
  PresignRequest,
  PresignResponse,
  ReviewInput,
  UploadOffer,
  UploadRequest,
} from "../assets/schema.ts";
import {
  finalizeAsset as finalize,
  requestUpload as request,
  uploadAsset as upload,
} from "../assets/upload.ts";
import { offerText, offerUpload } from "../assets/upload-command.ts";
import { operation } from "./operation.ts";

export const listAssets = operation({
  id: "listAssets",
  tag: "assets",
  summary: "List assets",
  description:
    "Pending assets first, then the newest first. The addresses in the answer are signed and expire after about an hour.",
  scope: "assets:read",
  http: { method: "GET", path: "/assets", revalidates: true },
  tool: { name: "svc_asset_list", title: "List assets" },
  input: AssetsQuery,
  output: AssetList,
  run: assetsPage,
});

export const getAsset = operation({
  id: "getAsset",
  tag: "assets",
  summary: "Read one asset",
  description: "One asset with signed addresses, its chain of versions and the address of its task.",
  scope: "assets:read",
  http: { method: "GET", path: "/assets/{id}", errors: [404] },
  tool: { name: "svc_asset_get", title: "Read one asset" },
  input: AssetPath,
  output: AssetDetail,
  run: (ctx, { id }, caller) => assetInFull(ctx, id, caller),
});

export const uploadAsset = operation({
  id: "uploadAsset",
  tag: "assets",
  summary: "Upload an asset",
  description:
    "A form with the bytes as `file` and the metadata as fields, in any order. With `replaces` it becomes the next version of that asset. To upload straight to the store, see requestUpload; its JSON body with `presign: true` is taken here as well, as before.",
  scope: "assets:write",
  writes: true,
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
  run: (ctx, form, caller) => upload(ctx, form as unknown as Parameters<typeof upload>[1], caller),
});

export const requestUpload = operation({
  id: "requestUpload",
  tag: "assets",
  summary: "Reserve an upload",
  description:
    "Reserves an id and answers with an address: PUT the bytes there with the returned headers, then POST `finalize_body` to `finalize_url`.",
  scope: "assets:write",
  writes: true,
  needs: "store",
  http: { method: "POST", path: "/assets/presign", status: 201, body: "PresignRequest", errors: [404, 409] },
  input: UploadRequest,
  output: PresignResponse,
  run: request,
});

/**
 * The way before `/assets/presign`: the type of the body told two operations apart, which OpenAPI cannot say,
 * so that generators mixed their answers.
 */
export const requestUploadByType = operation({
  ...requestUpload,
  id: "requestUploadByType",
  http: { ...requestUpload.http, method: "POST", path: "/assets", unlisted: true },
  input: PresignRequest,
  run: (ctx, { presign: _, ...wanted }: PresignRequest, caller) => request(ctx, wanted, caller),
});

export const requestUploadTool = operation({
  id: "requestUploadTool",
  tag: "assets",
  summary: "Reserve an upload and get the command that sends the file",
  description:
    "Reserves an asset id and answers with a `curl` command for the given path: run it where the file is, then call svc_asset_finalize with the returned id and `finalize_body`. The file never passes through this conversation.",
  scope: "assets:write",
  writes: true,
  needs: "store",
  tool: { name: "svc_asset_request_upload", title: "Reserve an upload", text: offerText, structured: true },
  input: UploadRequest,
  output: UploadOffer,
  run: offerUpload,
});

export const finalizeAsset = operation({
  id: "finalizeAsset",
  tag: "assets",
  summary: "Turn an upload into an asset",
  description:
    "Takes the uploaded bytes out of reach of their address, hashes and probes them. Of several calls for one upload, one answers 201, the others 409.",
  scope: "assets:write",
  writes: true,
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
    title: "Finalize an upload",
    destructive: true,
    idempotent: true,
    receipt: true,
  },
  input: FinalizeInput,
  output: Asset,
  run: finalize,
});

export const reviewAsset = operation({
  id: "reviewAsset",
  tag: "assets",
  summary: "Approve or reject an asset",
  description:
    "A rejection needs a note; it becomes a decision of the project, so that the next attempt's brief carries it.",
  scope: "assets:review",
  writes: true,
  http: { method: "PUT", path: "/assets/{id}/review", body: "ReviewRequest", errors: [404, 409] },
  input: ReviewInput,
  output: Asset,
  run: review,
});

export const publishAsset = operation({
  id: "publishAsset",
  tag: "assets",
  summary: "Publish an approved asset",
  description:
    "Copies the reviewed bytes to the public store and sets `public_url`, which is permanent. Publishing again answers the same.",
  scope: "assets:write",
  writes: true,
  needs: "publicStore",
  http: { method: "POST", path: "/assets/{id}/publish", media: null, errors: [404, 409] },
  input: AssetPath,
  output: Asset,
  run: (ctx, { id }, caller) => publish(ctx, id, caller),
});
