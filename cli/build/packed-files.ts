/**
 * Compresses the large files that the executable holds: 5 MB become 1.5, which browsers take as they are.
 * What reads them knows both forms (src/core/lib/packed-bytes.ts).
 */
import type { BunPlugin } from "bun";

const large =
  /\/(?:swagger-ui(?:-bundle)?\.(?:js|css)|pdf(?:\.worker)?\.min\.mjs|\w+_nowasm_fallback\.js|model-viewer\.min\.js|qcms_bg\.wasm|media\/pack\.bin|third-party-licenses\.md)$/;

/** The best that zstd has in a window that browsers accept, 8 MiB. */
const level = 19;

export const packedFiles: BunPlugin = {
  name: "large files, compressed",
  setup(build) {
    build.onLoad({ filter: large }, async ({ path }) => ({
      contents: new Uint8Array(Bun.zstdCompressSync(await Bun.file(path).bytes(), { level })),
      loader: "file",
    }));
  },
};
