/** How people and agents are told that a file breaks a limit. */
import type { BrokenLimit } from "./schema.ts";

/** `decision 31 (human:mara): Posters load quickly. [files at most 200 KB; this file: 301200 bytes]` */
export const limitText = ({ decision, actor, text, limit, found }: BrokenLimit): string =>
  `decision ${decision} (${actor}): ${text.replace(/\s+/g, " ").trim()} [${limit}; this file: ${found}]`;
