/** Where a backup is kept: a file, an object of a bucket, a folder. */
import { rename, rm, stat } from "node:fs/promises";
import type { Config } from "../config.ts";
import { writeFile } from "../stores/disk.ts";
import { defaultTimeouts, s3Client } from "../stores/s3-client.ts";
import { readObject } from "../stores/s3-read.ts";
import { s3Uploads } from "../stores/s3-upload.ts";
import type { ContentDigest } from "../stores/store.ts";
import { type Archive, BackupError, type Entry } from "./archive.ts";
import { folderArchive } from "./folder.ts";
import { entriesOf, tarOf } from "./tar.ts";

/** A tar of this size goes into a bucket in parts of sixteen megabytes; a larger one belongs into several. */
const bucketBytesMax = 160_000_000_000;
const type = "application/x-tar";

const inBucket = (place: string): boolean => place.startsWith("s3://");

/** Keeps what was read under a name that is free; a file gets it when it is whole. */
export async function writeTar(
  place: string,
  entries: AsyncIterable<Entry>,
  s3: Config["s3"],
): Promise<ContentDigest> {
  if (inBucket(place)) {
    const { client, key } = bucketOf(place, s3);
    const { digest: written, outcome } = await s3Uploads(client).send(key, tarOf(entries), {
      type,
      maxBytes: bucketBytesMax,
    });
    if (outcome !== "stored") throw new BackupError(`${place} is taken; choose another name`);
    return written;
  }
  if (await stat(place).catch(() => null))
    throw new BackupError(`${place} is there already; choose another name`);
  const part = `${place}.part`;
  try {
    await rm(part, { force: true });
    const written = await writeFile(part, tarOf(entries), { type, maxBytes: Number.MAX_SAFE_INTEGER });
    await rename(part, place);
    return written;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

export async function archiveAt(place: string, s3: Config["s3"]): Promise<Archive> {
  if (inBucket(place)) {
    const { client, key } = bucketOf(place, s3);
    return async function* () {
      const stored = await readObject(client, key, {});
      if (!stored) throw new BackupError(`there is no backup at ${place}`);
      yield* entriesOf(stored.body);
    };
  }
  const found = await stat(place).catch(() => null);
  if (!found) throw new BackupError(`there is no backup at ${place}`);
  return found.isDirectory() ? folderArchive(place) : () => entriesOf(Bun.file(place).stream());
}

function bucketOf(place: string, s3: Config["s3"]) {
  const [, bucket, key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w./-]{1,512})$/.exec(place) ?? [];
  if (bucket === undefined || key === undefined)
    throw new BackupError(`${place} is no place in a bucket; write s3://bucket/name.tar`);
  if (!s3.accessKeyId || !s3.secretAccessKey)
    throw new BackupError("S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required for a bucket");
  return { client: s3Client({ ...s3, bucket }, defaultTimeouts, () => new Date()), key };
}
