/**
 * Chunks of an upload whose memory is freed once they are copied. The garbage collector alone lets 50 to
 * 150 MB of them gather during a large upload, the more the slower its bucket (`bun run bench upload`).
 */
const disposable = new WeakSet<ArrayBufferLike>();

/** Says that nothing needs a chunk after its reader has copied it. */
export const markDisposable = ({ buffer }: Uint8Array): void => void disposable.add(buffer);

/** Frees the memory of a marked chunk, which is empty then. A part of a chunk stays: others may read the rest. */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && disposable.delete(buffer)) (buffer as ArrayBuffer).transfer(0);
}
