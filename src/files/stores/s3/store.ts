/** A store in an S3 bucket. */
import { DeleteObjectCommand } from "@aws-sdk/client-s3";
import { badRequest, unavailable } from "../../../core/problem.ts";
import { requireKey, requirePrefix } from "../keys.ts";
import { hashJoined, hashObject, hashSource, joinThroughProcess } from "../objects.ts";
import type { ContentDigest, CopyOptions, IsInUse, JoinedObject, Store } from "../store.ts";
import { s3Client } from "./client.ts";
import { defaultTimeouts, type S3Location, type S3Timeouts } from "./location.ts";
import { CopyStopped, type Snapshot } from "./parts.ts";
import { presignedParts } from "./presigned-parts.ts";
import { infoOf, listKeys, listUnfinishedUploads, readObject } from "./read.ts";
import { s3Uploads, type UploadOutcome } from "./upload.ts";

export interface S3Options extends S3Location {
  timeouts?: Partial<S3Timeouts>;
  now?: () => Date;
}

/** A store in a bucket, or below a prefix of it. */
export function s3Store({ timeouts, now = () => new Date(), ...location }: S3Options): Store {
  const client = s3Client(location, { ...defaultTimeouts, ...timeouts }, now);
  const uploads = s3Uploads(client);
  const { partBytesMin } = client;

  /**
   * Verifies that the key holds what was written. A mismatch is left to cleanup: a concurrent writer of the
   * same content may already have succeeded.
   */
  async function verifyStored(
    key: string,
    digest: ContentDigest,
    outcome: UploadOutcome,
  ): Promise<ContentDigest | "exists"> {
    // A large object took long anyway, and sending it again would take longer than a slow answer.
    const info = await infoOf(client, key, { isFollowUp: digest.size <= partBytesMin });
    if (outcome === "stored" && info?.size === digest.size) return digest;
    if (outcome === "stored" || !info)
      throw unavailable("The stored object does not match what was written.");
    if (info.size !== digest.size) return "exists";
    return (await hashObject(store, key))?.sha256 === digest.sha256 ? digest : "exists";
  }

  async function copyWithin(
    from: Snapshot,
    to: string,
    options: CopyOptions,
  ): Promise<ContentDigest | "exists"> {
    const outcome = await uploads.copy(from, to, options);
    if (options.digest || outcome === "unclear")
      return verifyStored(to, options.digest ?? (await hashSnapshot(from)), outcome);
    const digest = await hashObject(store, to);
    if (digest?.size !== from.size) throw unavailable("The stored copy does not match its source.");
    return digest;
  }

  async function joinWithin(
    sources: JoinedObject[],
    to: string,
    options: CopyOptions,
  ): Promise<ContentDigest | "exists" | null> {
    const size = sources.reduce((sum, source) => sum + source.size, 0);
    if (size <= partBytesMin) return joinThroughProcess(store, sources, to, options);
    const outcome = await uploads.join(sources, to, options);
    const digest = await (outcome === "stored" ? hashObject(store, to) : hashJoined(store, sources));
    if (outcome === "unclear") return digest && verifyStored(to, digest, outcome);
    if (digest?.size !== size) throw unavailable("The joined object does not match its parts.");
    return digest;
  }

  async function copyThroughProcess(
    from: Snapshot,
    to: string,
    { type, signal }: CopyOptions,
  ): Promise<ContentDigest | "exists"> {
    const source = await sourceOf(from);
    return store.put(to, source, {
      type,
      size: from.size,
      maxBytes: from.size,
      ...(signal ? { signal } : {}),
    });
  }

  const hashSnapshot = async (from: Snapshot): Promise<ContentDigest> => hashSource(await sourceOf(from));

  async function sourceOf({ key, etag, size }: Snapshot) {
    const stored = await readObject(client, key, { etag });
    if (!stored) throw new CopyStopped("gone");
    if (stored.size === size) return stored.body;
    await stored.body.cancel();
    throw unavailable("The store reported two sizes for one object.");
  }

  async function* leftovers(before: Date, isInUse: IsInUse = async () => false) {
    for await (const upload of listUnfinishedUploads(client, uploads.liveUploads, before))
      if (!(await isInUse(upload))) yield upload;
  }

  const store: Store = {
    baseUrl: client.baseUrl,
    parts: presignedParts(client, uploads),
    async put(key, source, options) {
      const { digest, outcome } = await uploads.send(requireKey(key), source, options);
      return verifyStored(key, digest, outcome);
    },
    async copy(from, to, options) {
      requireKey(to);
      const info = await infoOf(client, requireKey(from));
      if (!info) return null;
      const snapshot = { key: from, ...info };
      try {
        // A small object is read, hashed and written through this process: S3 copies only parts of larger
        // ones.
        if (info.size <= partBytesMin) return await copyThroughProcess(snapshot, to, options);
        return await copyWithin(snapshot, to, options).catch((error) => {
          if (error instanceof CopyStopped && error.reason === "refused")
            return copyThroughProcess(snapshot, to, options);
          throw error;
        });
      } catch (error) {
        if (!(error instanceof CopyStopped)) throw error;
        if (error.reason === "gone") return null;
        throw badRequest("The upload was overwritten while it was being finalized. Upload the file again.");
      }
    },
    async join(sources, to, options) {
      sources.forEach(({ key }) => void requireKey(key));
      try {
        return await joinWithin(sources, requireKey(to), options);
      } catch (error) {
        if (!(error instanceof CopyStopped)) throw error;
        return error.reason === "gone" ? null : joinThroughProcess(store, sources, to, options);
      }
    },
    get: async (key, range) => readObject(client, requireKey(key), { range }),
    async stat(key) {
      const info = await infoOf(client, requireKey(key));
      return info && { size: info.size, modifiedAt: info.modifiedAt };
    },
    async delete(key) {
      await client.trySend(new DeleteObjectCommand(client.target(requireKey(key))), [404]);
    },
    list: (prefix, after = "") => listKeys(client, requirePrefix(prefix), after),
    async signedPut(key, { type, expiresSeconds }) {
      const headers = { "content-type": type };
      return { url: await client.signedPutUrl(requireKey(key), { headers, expiresSeconds }), headers };
    },
    freeBytes: async () => null,
    async listLeftovers(before, isInUse) {
      return (await Array.fromAsync(leftovers(before, isInUse))).map(
        ({ key }) => `an unfinished upload to ${key}`,
      );
    },
    async deleteLeftovers(before, isInUse) {
      let count = 0;
      for await (const { key, uploadId } of leftovers(before, isInUse)) {
        await uploads.abandon(key, uploadId);
        count++;
      }
      return count;
    },
  };
  return store;
}
