/**
 * Files that the executable holds compressed with zstd, see cli/build/packed-files.ts; from source they are
 * as they are. RFC 8878, 3.1.1: the magic number of a frame.
 */
const magic = [0x28, 0xb5, 0x2f, 0xfd];

export const isPacked = (bytes: Uint8Array): boolean => magic.every((byte, at) => bytes[at] === byte);

/** The file as it was before it was packed. */
export const unpacked = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  isPacked(bytes) ? new Uint8Array(Bun.zstdDecompressSync(bytes)) : bytes;
