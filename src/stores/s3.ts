/** Bytes in a bucket. */
import { badRequest, unavailable } from "../problem.ts";
import { requireKey, requirePrefix } from "./keys.ts";
import { hashObject, hashSource } from "./objects.ts";
import { type Patience, patient, type S3Place, s3Client } from "./s3-client.ts";
import { infoOf, listKeys, readObject, unfinished } from "./s3-read.ts";
import { CopyStopped, type Outcome, partBytesMin, type Snapshot, s3Uploads } from "./s3-upload.ts";
import type { CopyOptions, Store, Written } from "./store.ts";

export interface S3Options extends S3Place {
  patience?: Partial<Patience>;
  now?: () => Date;
}

export function s3Store({ patience, now = () => new Date(), ...place }: S3Options): Store {
  const client = s3Client(place, { ...patient, ...patience }, now);
  const uploads = s3Uploads(client);

  /**
   * What stands under the key is what was written, or it does not count. What does not count stays for the
   * sweep: somebody else who wrote the same may have been told that all is well.
   */
  async function settle(key: string, written: Written, outcome: Outcome): Promise<Written | "taken"> {
    const info = await infoOf(client, key, { follows: true });
    if (outcome === "kept" && info?.size === written.size) return written;
    if (outcome === "kept" || !info) throw unavailable("The stored object does not match what was written.");
    if (info.size !== written.size) return "taken";
    return (await hashObject(store, key))?.sha256 === written.sha256 ? written : "taken";
  }

  async function copyWithin(from: Snapshot, to: string, options: CopyOptions): Promise<Written | "taken"> {
    const outcome = await uploads.copy(from, to, options);
    if (options.known || outcome === "unclear")
      return settle(to, options.known ?? (await hashSnapshot(from)), outcome);
    const written = await hashObject(store, to);
    if (written?.size !== from.size) throw unavailable("The stored copy does not match its source.");
    return written;
  }

  async function copyThroughHere(
    from: Snapshot,
    to: string,
    { type, signal }: CopyOptions,
  ): Promise<Written | "taken"> {
    const source = await sourceOf(from);
    return store.put(to, source, {
      type,
      size: from.size,
      maxBytes: from.size,
      ...(signal ? { signal } : {}),
    });
  }

  const hashSnapshot = async (from: Snapshot): Promise<Written> => hashSource(await sourceOf(from));

  async function sourceOf({ key, etag, size }: Snapshot) {
    const stored = await readObject(client, key, { etag });
    if (!stored) throw new CopyStopped("gone");
    if (stored.size === size) return stored.body;
    await stored.body.cancel();
    throw unavailable("The store reported two sizes for one object.");
  }

  const store: Store = {
    address: client.base,
    async put(key, source, options) {
      const { written, outcome } = await uploads.send(requireKey(key), source, options);
      return settle(key, written, outcome);
    },
    async copy(from, to, options) {
      requireKey(to);
      const info = await infoOf(client, requireKey(from));
      if (!info) return null;
      const snapshot = { key: from, ...info };
      try {
        // What goes in one call is read and written here, and hashed on the way; S3 copies parts of larger
        // objects only.
        if (info.size <= partBytesMin) return await copyThroughHere(snapshot, to, options);
        return await copyWithin(snapshot, to, options).catch((error) => {
          if (error instanceof CopyStopped && error.why === "refused")
            return copyThroughHere(snapshot, to, options);
          throw error;
        });
      } catch (error) {
        if (!(error instanceof CopyStopped)) throw error;
        if (error.why === "gone") return null;
        throw badRequest("The upload was overwritten while it was being finalized. Upload the file again.");
      }
    },
    get: async (key, range) => readObject(client, requireKey(key), { range }),
    async stat(key) {
      const info = await infoOf(client, requireKey(key));
      return info && { size: info.size, modifiedAt: info.modifiedAt };
    },
    async delete(key) {
      await client.call({ method: "DELETE", key: requireKey(key), expected: [404] });
    },
    list: (prefix, after = "") => listKeys(client, requirePrefix(prefix), after),
    async signedPut(key, { type, expiresSeconds }) {
      const headers = { "content-type": type };
      return {
        url: client.address({ method: "PUT", key: requireKey(key), headers }, expiresSeconds),
        headers,
      };
    },
    async leftovers(before) {
      return (await Array.fromAsync(unfinished(client, uploads, before))).map(
        ({ key }) => `an unfinished upload to ${key}`,
      );
    },
    async sweep(before) {
      let swept = 0;
      for await (const { key, uploadId } of unfinished(client, uploads, before)) {
        await uploads.abandon(key, uploadId);
        swept++;
      }
      return swept;
    },
  };
  return store;
}
