/** Operations that take something back. */
import { operationOf } from "../../core/operation.ts";
import { AssetPath } from "../assets/requests.ts";
import { AssetDetail } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import { exportRows } from "../removals/export-rows.ts";
import {
  deleteAssetFiles as deleteFiles,
  previewRemoval as preview,
  unpublishAsset as unpublish,
} from "../removals/remove.ts";
import {
  DeleteFilesInput,
  Removal,
  RemovalList,
  RemovalPlan,
  RemovalPreview,
  RemovalRows,
  RemovalSubjectInput,
  RemovalsQuery,
  TakeBackInput,
  UnpublishInput,
} from "../removals/schema.ts";
import { listRemovals as list, planRemoval as plan, takeBack as take } from "../removals/take-back.ts";

const operation = operationOf<LibraryContext>("assets");

export const previewRemoval = operation({
  id: "previewRemoval",
  summary: "Preview what a removal takes away",
  description: "The files and URLs that go, and what else shows the same file.",
  scope: "assets:review",
  http: { method: "GET", path: "/assets/{id}/removal", errors: [404] },
  input: AssetPath,
  output: RemovalPreview,
  run: (ctx, { id }, caller) => preview(ctx, id, caller),
});

export const unpublishAsset = operation({
  id: "unpublishAsset",
  summary: "Unpublish an asset",
  description:
    "Deletes the public copy. Its URL answers 410, or 404 from a bucket. The asset is approved again.",
  scope: "assets:review",
  http: { method: "POST", path: "/assets/{id}/unpublish", body: "UnpublishRequest", errors: [404, 409] },
  input: UnpublishInput,
  output: AssetDetail,
  run: unpublish,
});

export const deleteAssetFiles = operation({
  id: "deleteAssetFiles",
  summary: "Delete the files of an asset",
  description:
    "For admins. The asset stays with its hash, its reviews, and who deleted its files and why. There is " +
    "no undo.",
  scope: "public",
  token: "admin",
  http: {
    method: "POST",
    path: "/assets/{id}/delete-files",
    body: "DeleteFilesRequest",
    errors: [401, 403, 404],
  },
  input: DeleteFilesInput,
  output: AssetDetail,
  run: deleteFiles,
});

const forAdmins = { tag: "removals", scope: "public", token: "admin" } as const;

export const listRemovals = operation({
  ...forAdmins,
  id: "listRemovals",
  summary: "List what was taken back",
  description: "By whom, when and why; newest first.",
  http: { method: "GET", path: "/removals", errors: [401, 403] },
  input: RemovalsQuery,
  output: RemovalList,
  run: list,
});

export const planRemoval = operation({
  ...forAdmins,
  id: "planRemoval",
  summary: "Preview taking something back",
  description: "How many rows of which table would change.",
  http: { method: "GET", path: "/removals/plan", errors: [401, 403, 404] },
  input: RemovalSubjectInput,
  output: RemovalPlan,
  run: plan,
});

export const exportRemoval = operation({
  ...forAdmins,
  id: "exportRemoval",
  summary: "Export what would change",
  description: "The rows as they are, to be saved before they are taken back: at most 20,000.",
  http: { method: "GET", path: "/removals/rows", errors: [401, 403, 404] },
  input: RemovalSubjectInput,
  output: RemovalRows,
  run: exportRows,
});

export const takeBack = operation({
  ...forAdmins,
  id: "takeBack",
  summary: "Take something back",
  description:
    "Redacts the text of an event, an annotation or a decision wherever it stands, with who did so, when " +
    "and why in its place; or replaces the names of a person everywhere. There is no undo.",
  http: { method: "POST", path: "/removals", body: "TakeBackRequest", errors: [401, 403, 404, 409] },
  input: TakeBackInput,
  output: Removal,
  run: take,
});
