/** Where a backup is stored: a file, an object in an S3 bucket, or a folder. */

import { rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createTarDecoder, createTarPacker } from "modern-tar";
import type { Config } from "../../core/config.ts";
import { writeFile } from "../../files/stores/disk/files.ts";
import { defaultTimeouts } from "../../files/stores/s3/location.ts";
import type { ByteStream, ContentDigest } from "../../files/stores/store.ts";
import { type Archive, BackupError, type Entry, requireName } from "./archive.ts";
import { folderArchive } from "./folder.ts";

/** Largest backup in a bucket: 10,000 upload parts (the limit of S3) of 16 MB. */
const bucketBytesMax = 160_000_000_000;
const type = "application/x-tar";

const isBucketUrl = (place: string): boolean => place.startsWith("s3://");

/**
 * Writes a tar under a new name. A file is written as `<name>.part` and renamed when it is complete.
 * @throws {BackupError} if the name is taken
 */
export async function writeTar(
  place: string,
  entries: AsyncIterable<Entry>,
  s3: Config["s3"],
): Promise<ContentDigest> {
  if (isBucketUrl(place)) {
    const { client, key } = await bucketTarget(place, s3);
    const { s3Uploads } = await import("../../files/stores/s3/upload.ts");
    const { digest: written, outcome } = await s3Uploads(client).send(key, createTar(entries), {
      type,
      maxBytes: bucketBytesMax,
    });
    if (outcome !== "stored") throw new BackupError(`${place} already exists; choose another name`);
    return written;
  }
  if (await stat(place).catch(() => null))
    throw new BackupError(`${place} already exists; choose another name`);
  const part = partOf(place);
  try {
    await rm(part, { force: true });
    const written = await writeFile(part, createTar(entries), { type, maxBytes: Number.MAX_SAFE_INTEGER });
    await rename(part, place);
    return written;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** `<name>.part`, or for a name that would get longer than a disk takes, its hash. */
function partOf(place: string): string {
  const part = `${basename(place)}.part`;
  const isLong = Buffer.byteLength(part) > nameBytesMax;
  return join(dirname(place), isLong ? `.${Bun.hash(part).toString(36)}.part` : part);
}
const nameBytesMax = 255;

/** Opens a backup by path or `s3://` URL. @throws {BackupError} if there is none */
export async function openArchive(place: string, s3: Config["s3"]): Promise<Archive> {
  const none = new BackupError(`there is no backup at ${place}`);
  if (isBucketUrl(place)) {
    const { client, key } = await bucketTarget(place, s3);
    const { infoOf, readObject } = await import("../../files/stores/s3/read.ts");
    if (!(await infoOf(client, key))) throw none;
    return async function* () {
      const stored = await readObject(client, key, {});
      if (!stored) throw none;
      yield* readTar(stored.body);
    };
  }
  const found = await stat(place).catch(() => null);
  if (!found) throw none;
  return found.isDirectory() ? folderArchive(place) : () => readTar(Bun.file(place).stream());
}

/** Loads the S3 client, which only a place in a bucket needs. */
async function bucketTarget(place: string, s3: Config["s3"]) {
  const [, bucket, key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w./-]{1,512})$/.exec(place) ?? [];
  if (bucket === undefined || key === undefined)
    throw new BackupError(`${place} is not a valid S3 URL; use s3://bucket/name.tar`);
  const { s3Client } = await import("../../files/stores/s3/client.ts");
  return { client: s3Client({ ...s3, bucket }, defaultTimeouts), key };
}

/** A tar of regular files. Long names and large sizes are in pax headers (POSIX.1-2001). */
export async function* createTar(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const pack = async () => {
    for await (const { name, size, body } of entries) {
      const file = controller.add({ name, size, mode: 0o600, mtime: new Date(0) }).getWriter();
      for await (const chunk of body) await file.write(chunk);
      await file.close();
    }
    controller.finalize();
  };
  pack().catch((error) => controller.error(error)); // `readable` fails with it
  yield* readable;
}

/**
 * Reads what `createTar` writes, and rejects every other kind of entry.
 * @throws {BackupError} if it is no tar, damaged or truncated; rethrows errors of `source`
 */
export async function* readTar(source: ByteStream): AsyncGenerator<Entry> {
  const chunks = source[Symbol.asyncIterator]();
  let sourceError: { error: unknown } | undefined;
  const input = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        sourceError = { error };
        throw error;
      }
    },
    cancel: async () => void (await chunks.return?.()),
  });
  async function* valuesOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error) => {
          throw sourceError ? sourceError.error : invalidTar(error);
        });
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {}); // a consumer that stops early need not know of later errors
    }
  }
  const entries = input.pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of valuesOf(entries)) {
    if (header.type !== "file")
      throw new BackupError("the backup contains an unexpected entry; it was not made by svc");
    yield { name: requireName(header.name), size: header.size, body: valuesOf(body) };
    // The consumer skipped it. It is read to its end: after one that was canceled, modern-tar 0.8.6 stops in
    // a long file.
    if (!body.locked) for await (const _ of valuesOf(body));
  }
}

const invalidTar = ({ message }: Error): BackupError =>
  new BackupError(
    message === "Tar archive is truncated."
      ? "the backup is truncated"
      : "this is not an svc backup, or it is damaged",
  );
