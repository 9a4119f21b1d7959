import { commit, version } from "../../src/version.ts";

/** `0.0.1 (abc1234)`. */
export const versionLine = `${version} (${commit})`;
