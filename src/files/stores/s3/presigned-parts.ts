/** Multipart uploads whose parts a client sends to presigned URLs. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
} from "@aws-sdk/client-s3";
import { unavailable } from "../../../core/problem.ts";
import { requireKey } from "../keys.ts";
import type { PartUploads, ReceivedPart } from "../store.ts";
import type { S3Client } from "./client.ts";
import { Rejected, requireValue } from "./errors.ts";
import { ifAbsent, type Uploads } from "./upload.ts";

export function presignedParts(client: S3Client, { abandon }: Uploads): PartUploads {
  return {
    async begin(key, { type }) {
      const command = new CreateMultipartUploadCommand({
        ...client.target(requireKey(key)),
        ContentType: type,
      });
      return requireValue((await client.send(command)).UploadId);
    },

    async list(key, uploadId) {
      const parts = new Map<number, ReceivedPart>();
      let marker: string | undefined;
      for (;;) {
        const command = new ListPartsCommand({
          ...client.target(requireKey(key)),
          UploadId: uploadId,
          ...(marker && { PartNumberMarker: marker }),
        });
        const page = await client.trySend(command, [404]);
        if (page instanceof Rejected) return null;
        const isTruncated = requireValue(page.IsTruncated);
        for (const { PartNumber, Size, ETag } of page.Parts ?? [])
          parts.set(requireValue(PartNumber), { size: requireValue(Size), etag: requireValue(ETag) });
        const last = page.Parts?.at(-1)?.PartNumber;
        if (!isTruncated || last === undefined) return parts;
        if (String(last) === marker) throw unavailable("The store listed the same parts twice.");
        marker = String(last);
      }
    },

    sign: (key, uploadId, { number, size }, expiresSeconds) =>
      client.signedPutUrl(requireKey(key), {
        headers: { "content-length": String(size) },
        query: { partNumber: String(number), uploadId },
        expiresSeconds,
      }),

    async complete(key, uploadId, parts) {
      const command = new CompleteMultipartUploadCommand({
        ...client.target(requireKey(key)),
        ...ifAbsent,
        UploadId: uploadId,
        MultipartUpload: { Parts: parts.map(({ etag }, index) => ({ PartNumber: index + 1, ETag: etag })) },
      });
      // 404 and 412: an attempt whose response got lost has completed it.
      const completed = await client.trySend(command, [404, 412, "PreconditionFailed", "InvalidPart"], {
        copiedBytes: parts.reduce((sum, { size }) => sum + size, 0),
      });
      if (completed instanceof Rejected) return completed.code !== "InvalidPart";
      requireValue(completed.ETag);
      return true;
    },

    abort: (key, uploadId) => abandon(requireKey(key), uploadId),
  };
}
