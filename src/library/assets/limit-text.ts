/** How people and agents are told that a file breaks a limit. */
import type { BrokenLimit } from "./schema.ts";

/** `decision 31 (human:mara): Posters load quickly. [files at most 200 KB]` */
export const limitText = ({ decision, actor, text, limit }: BrokenLimit): string =>
  `decision ${decision} (${actor}): ${text.replace(/\s+/g, " ").trim()} [${limit}]`;
