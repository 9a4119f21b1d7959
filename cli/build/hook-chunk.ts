/**
 * Keeps `svc hook` in the first chunk of the executable. Code splitting would put what it shares with other
 * commands into eight chunks, and loading those takes 1.5 ms of CPU in every call.
 */
import { join } from "node:path";
import type { BunPlugin } from "bun";

/** Bundles the hook into one module, which takes the place of the one that the entry point imports. */
export async function hookChunk(options: Pick<Bun.BuildConfig, "minify">): Promise<BunPlugin> {
  const hook = join(import.meta.dir, "../agents/hook.ts");
  const { outputs } = await Bun.build({
    entrypoints: [hook],
    target: "bun",
    format: "esm",
    external: ["re2js"],
    ...options,
  });
  const contents = (await outputs[0]?.text()) ?? "";
  const bundled = join(import.meta.dir, "../agents/hook.bundled.js");
  return {
    name: "svc hook in one chunk",
    setup(build) {
      // The name that only the entry point uses: the command `svc hook` of the help keeps the source.
      build.onResolve({ filter: /^\.\/agents\/hook\.ts$/ }, () => ({ path: bundled }));
      build.onLoad({ filter: /hook\.bundled\.js$/ }, () => ({ contents, loader: "js" }));
    },
  };
}
