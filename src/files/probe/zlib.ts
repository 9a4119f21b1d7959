/** Node's zlib, loaded when something has to be inflated or deflated: that takes a child 1.3 ms, and few images need it. */
export const zlib = () => process.getBuiltinModule("node:zlib");

/** Of a chunk of a PNG. */
export const crc32 = (bytes: Uint8Array): number => Bun.hash.crc32(bytes);
