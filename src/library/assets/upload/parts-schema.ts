/** The request and the response of an upload in parts. */
import { type Static, Type } from "@sinclair/typebox";
import { Count, DateTime, Uri } from "../../../core/wire.ts";
import { AssetPath } from "../requests.ts";

export const PartsInput = Type.Object({
  ...AssetPath.properties,
  size: Count("Size of the file in bytes.", 52_428_800, { minimum: 1 }),
});
export type PartsInput = Static<typeof PartsInput>;

export const UploadParts = Type.Object(
  {
    part_bytes: Count("Size of every part but the last."),
    missing: Count("Parts that have not arrived. At 0, finalize the upload."),
    parts: Type.Array(
      Type.Object({
        number: Type.Integer({ minimum: 1, examples: [3] }),
        offset: Count("Where the part begins in the file, in bytes."),
        size: Count("Its size in bytes; the URL takes no other."),
        url: Uri({ description: "PUT the part here, without further headers." }),
      }),
      { description: "The first of the missing parts, at most 100." },
    ),
    expires_at: DateTime({ description: "When these URLs expire. Request new ones to continue." }),
  },
  { $id: "UploadParts" },
);
export type UploadParts = Static<typeof UploadParts>;
