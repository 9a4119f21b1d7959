/**
 * Reads zip files with zip.js in strict mode: an archive that programs could read differently is rejected.
 */
import * as zip from "@zip.js/zip.js/lib/zip-core-external.js";
import { badRequest, Problem } from "../../../core/problem.ts";
import type { BlockReader } from "../bytes.ts";
import { likelyEncoding } from "../likely-encoding.ts";
import { limits } from "../limits.ts";
import { pathOfName } from "./names.ts";

export type { Entry, FileEntry } from "@zip.js/zip.js/lib/zip-core-external.js";

/** Supported compression methods. Others are rejected before anything is unpacked. */
export const method = { stored: 0, deflated: 8 } as const;

/**
 * zip.js decodes names: as the Unicode extra field of Info-ZIP has them, as UTF-8 where they are valid UTF-8,
 * else as code page 437, or in the likelier encoding of Windows elsewhere. `requireSafePath` checks them.
 * Uploads and mails may leave bytes behind the end, which no program reads.
 */
const options = {
  strictness: "strict",
  maxAppendedDataSize: 2 ** 16 - 1,
  filenameValidation: "tolerant",
  normalizeFilename: pathOfName,
} as const;

/** Reads the entries of the central directory, without their data. @throws {Problem} 400 if it is damaged */
export async function* readDirectory(file: BlockReader): AsyncGenerator<zip.Entry> {
  const encoding = likelyEncoding(await undeclaredNames(file), false);
  const decodeText = (name: Uint8Array, stated: string) =>
    encoding && stated === codePage437 ? new TextDecoder(encoding).decode(name) : undefined;
  try {
    yield* new zip.ZipReader(new FileReader(file), { ...options, decodeText }).getEntriesGenerator();
  } catch (error) {
    throw asProblem(error);
  }
}

const codePage437 = "cp437";

/** The names that are neither declared to be UTF-8 nor look like it, in lines: all have one encoding. */
async function undeclaredNames(file: BlockReader): Promise<Uint8Array> {
  const names: Uint8Array[] = [];
  const decodeText = (name: Uint8Array, stated: string, type?: string) => {
    if (stated === codePage437 && type === "filename") names.push(name, Buffer.from("\n"));
    return undefined;
  };
  try {
    const entries = new zip.ZipReader(new FileReader(file), { ...options, decodeText }).getEntriesGenerator();
    let left: number = limits.bundleEntries;
    for await (const _entry of entries) if (--left === 0) break;
  } catch {
    // The caller reads the entries again, and is told what is wrong.
  }
  return Buffer.concat(names);
}

class FileReader extends zip.Reader<BlockReader> {
  constructor(readonly file: BlockReader) {
    super(file);
    this.size = file.size;
  }

  override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
    if (length > limits.bundleDirectoryBytes)
      throw badRequest(
        `The zip file's central directory is larger than ${limits.bundleDirectoryBytes} bytes.`,
      );
    return this.file.read(offset, length);
  }
}

/**
 * Unpacks an entry in chunks of at most `blockBytes`, and checks its size, its checksum, and that it shares
 * no data with an entry that was unpacked before. `take` may throw to stop.
 */
export async function unpack(entry: zip.FileEntry, take: (bytes: Uint8Array) => void): Promise<void> {
  const output = new WritableStream<Uint8Array>({
    write(chunk) {
      for (let at = 0; at < chunk.length; at += limits.blockBytes)
        take(chunk.subarray(at, at + limits.blockBytes));
    },
  });
  const checks = { checkSignature: true, checkOverlappingEntry: true, useWebWorkers: false };
  await entry.getData(output, checks).catch((error) => {
    throw asProblem(error);
  });
}

const messages = new Set<unknown>(
  Object.entries(zip).flatMap(([name, value]) => (name.startsWith("ERR_") ? [value] : [])),
);

/** Converts errors of zip.js to a Problem 400. Others are those of `take` and of the file. */
function asProblem(error: unknown): unknown {
  const { message, reason } = error as Error & { reason?: string };
  if (error instanceof Problem || !messages.has(message)) return error;
  if (message === zip.ERR_SPLIT_ZIP_FILE)
    return badRequest("The zip file is part of a split archive, which is not supported.");
  if (message === zip.ERR_OVERLAPPING_ENTRY) return badRequest("The bundle contains overlapping entries.");
  if (message === zip.ERR_AMBIGUOUS_ARCHIVE)
    return badRequest(`The zip file is ambiguous: programs could read it differently (${reason}).`);
  return badRequest(`The zip file is damaged (${message}).`);
}
