/** Joins objects to one: large ranges are copied within the bucket, small ones sent again as one part. */
import { UploadPartCommand } from "@aws-sdk/client-s3";
import { hashBlock } from "../disk/worker-pool.ts";
import type { JoinedObject } from "../store.ts";
import type { S3Client } from "./client.ts";
import { requireValue } from "./errors.ts";
import { CopyStopped, copyRange, type SendPart, signedHash } from "./parts.ts";
import { readObject } from "./read.ts";

interface SourceRange extends JoinedObject {
  start: number;
  end: number;
}

/** Yields how to make each part of the joined object. They throw `CopyStopped`. */
export async function* joinedParts(client: S3Client, sources: JoinedObject[]): AsyncGenerator<SendPart> {
  const { partBytesMin } = client;
  for (const ranges of planParts(sources, partBytesMin)) {
    const [first] = ranges as [SourceRange];
    const isCopied = ranges.length === 1 && first.end - first.start >= partBytesMin;
    yield isCopied ? copyRange(client, first, first) : sendRanges(client, ranges);
  }
}

/**
 * Cuts the joined objects into parts, all but the last of at least `partBytesMin`. A part is a range of one
 * object, or several small ranges.
 */
export function planParts(sources: JoinedObject[], partBytesMin: number): SourceRange[][] {
  const parts: SourceRange[][] = [];
  let ranges: SourceRange[] = [];
  let bytes = 0;
  const endPart = () => {
    parts.push(ranges);
    ranges = [];
    bytes = 0;
  };
  const addRange = (source: JoinedObject, start: number, end: number) => {
    ranges.push({ ...source, start, end });
    bytes += end - start;
    if (bytes >= partBytesMin) endPart();
  };
  for (const source of sources) {
    const { size } = source;
    // Fill up the part that was begun with as little of this object as is left to send again.
    const missing = bytes === 0 ? 0 : partBytesMin - bytes;
    const start = size - missing >= partBytesMin ? missing : 0;
    if (start > 0) addRange(source, 0, start);
    if (size > start) addRange(source, start, size);
  }
  if (ranges.length > 0) endPart();
  return parts;
}

/** Reads small ranges and sends them as one part. */
const sendRanges =
  (client: S3Client, ranges: SourceRange[]): SendPart =>
  async (target, options) => {
    const chunks: Uint8Array[] = [];
    for (const { key, start, end } of ranges) {
      const stored = await readObject(client, key, { range: { start, end } });
      if (!stored) throw new CopyStopped("gone");
      chunks.push(await new Response(stored.body).bytes());
    }
    const body = Buffer.concat(chunks);
    const command = new UploadPartCommand({ ...target, Body: body });
    const { ETag } = await client.send(signedHash(command, await hashBlock(body)), options);
    return requireValue(ETag);
  };
