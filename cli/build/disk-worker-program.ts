/**
 * Embeds the disk worker as JavaScript that is ready to run. As TypeScript, Bun would transpile it at each
 * start, and run what it finds in a cache in the home folder instead, where others may be able to write.
 */
import { join } from "node:path";
import type { BunPlugin } from "bun";

const source = join(import.meta.dir, "../../src/files/stores/disk/worker.ts");

/** Bundles the worker. The text of it begins with `// @bun`, which Bun runs as it is. */
export async function diskWorkerProgram(options: Pick<Bun.BuildConfig, "minify">): Promise<BunPlugin> {
  const { outputs } = await Bun.build({ entrypoints: [source], target: "bun", format: "esm", ...options });
  const contents = (await outputs[0]?.text()) ?? "";
  return {
    name: "disk worker as JavaScript",
    setup(build) {
      build.onLoad({ filter: /stores\/disk\/worker\.ts$/ }, () => ({ contents, loader: "text" }));
    },
  };
}
