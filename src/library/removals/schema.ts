/** Schemas of what is taken back of an asset: its public copy, or its files. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Count, DateTime, Nullable, Prose, Uri } from "../../core/wire.ts";
import { AssetId } from "../assets/ids.ts";

export const removalKinds = ["publication", "file"] as const;

export const Reason = Prose(1024, {
  description: "Why. It stays, so do not repeat what you remove.",
  examples: ["The map shows the old harbor."],
});

export const Removal = Type.Object(
  {
    kind: Choice(removalKinds, { description: "`publication`: unpublished. `file`: all files deleted." }),
    removed_by: Type.String({ examples: ["human:ana"] }),
    removed_at: DateTime(),
    reason: Type.String({ examples: Reason.examples }),
    finished_at: Nullable(
      DateTime({ description: "When the store had deleted the files; null while svc retries." }),
    ),
  },
  { $id: "Removal" },
);
export type Removal = Static<typeof Removal>;

export const UnpublishInput = Type.Object({ id: AssetId, reason: Reason });
export type UnpublishInput = Static<typeof UnpublishInput>;

export const DeleteFilesInput = Type.Object({
  id: AssetId,
  reason: Reason,
  all_versions: Type.Optional(Type.Boolean({ default: false, description: "Of all its versions." })),
});
export type DeleteFilesInput = Static<typeof DeleteFilesInput>;

export const RemovalPreview = Type.Object(
  {
    title: Type.String(),
    removals: Type.Array(Removal, { description: "What was taken back already." }),
    versions: Type.Array(
      Type.Object({
        id: AssetId,
        version: Type.Integer({ minimum: 1 }),
        size: Count("File size in bytes.", 48_213),
        has_file: Type.Boolean(),
        url: Nullable(Uri({ description: "Signed URL, to save the file first." })),
        public_url: Nullable(Uri()),
      }),
      { description: "All versions, oldest first." },
    ),
    shares: Count("Share links that show it and are valid.", 1),
    same_file: Type.Array(AssetId, {
      description: "Other assets with the same file, at most 20: they keep it.",
    }),
  },
  { $id: "RemovalPreview" },
);
export type RemovalPreview = Static<typeof RemovalPreview>;
