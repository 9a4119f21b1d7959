/** How packages are compressed: as small as their readers can decompress, or fast for tests. */

import { promisify } from "node:util";
import { constants, brotliCompress as nodeBrotli } from "node:zlib";

export interface Packing {
  /** Compress fast and badly. */
  isDraft: boolean;
}

export interface Compressed {
  data: Uint8Array;
  /** As in file names, and as `rpm` calls it. */
  format: "xz" | "zst";
}

const brotliCompress = promisify(nodeBrotli);

/** Brotli, which every supported version of Node decompresses. */
export const brotli = (data: Uint8Array, { isDraft }: Packing): Promise<Uint8Array> =>
  brotliCompress(data, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isDraft ? 1 : constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    },
  });

/** Zstandard, in a window of 128 MiB: the largest that readers take unless they are told to. */
export const zstd = (data: Uint8Array, { isDraft }: Packing): Promise<Uint8Array> =>
  Bun.zstdCompress(data, { level: isDraft ? 1 : 22 });

/** Whether `xz` is installed. Without it, packages are larger. */
export const hasXz = (): boolean => Bun.which("xz") !== null;

/** For package managers and `tar`: xz, whose filter for x86 code saves a tenth, or Zstandard without `xz`. */
export async function compressForSystem(
  data: Uint8Array,
  cpu: string,
  packing: Packing,
): Promise<Compressed> {
  if (!hasXz()) return { data: await zstd(data, packing), format: "zst" };
  const filters = [...(cpu === "x64" ? ["--x86"] : []), `--lzma2=preset=${packing.isDraft ? 0 : 6}`];
  const child = Bun.spawn(["xz", "--stdout", "--check=crc32", ...filters], {
    stdin: new Blob([data as Uint8Array<ArrayBuffer>]),
    stderr: "inherit",
  });
  const [output, code] = await Promise.all([new Response(child.stdout).bytes(), child.exited]);
  if (code !== 0) throw new Error(`xz ended with exit code ${code}.`);
  return { data: output, format: "xz" };
}

/**
 * Replaces the relative targets of calls and jumps in x86 code with absolute ones: calls of one function look
 * alike then, and compress by a tenth better. The launcher of the npm package reverses it.
 */
export function withAbsoluteCalls(code: Uint8Array): Uint8Array {
  const copy = code.slice();
  const view = new DataView(copy.buffer, copy.byteOffset, copy.byteLength);
  const size = copy.length;
  for (let at = 0; at + 5 <= size; ) {
    if (((copy[at] as number) & 0xfe) !== 0xe8) {
      at++;
      continue;
    }
    const relative = view.getInt32(at + 1, true);
    if (relative >= -at && relative < size)
      view.setInt32(at + 1, relative < size - at ? relative + at : relative - size, true);
    at += 5;
  }
  return copy;
}
