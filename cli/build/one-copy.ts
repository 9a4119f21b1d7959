/** Resolves what is both imported and required to one file: the bundler would embed it in both of its formats. */
import type { BunPlugin } from "bun";

export const oneCopy: BunPlugin = {
  name: "one copy of a package",
  setup(build) {
    const path = Bun.resolveSync("re2js", import.meta.dir);
    build.onResolve({ filter: /^re2js$/ }, () => ({ path }));
  },
};
