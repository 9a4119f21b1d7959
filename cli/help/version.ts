import { commit, version } from "../../src/core/version.ts";

/** `0.0.1 (abc1234)`. */
export const versionLine = `${version} (${commit})`;
