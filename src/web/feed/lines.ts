/** The lines of the feed page: events, and runs with what their line shows when it is opened. */

import type { Run } from "../../feed/runs/schema.ts";
import type { Event } from "../../feed/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";

/** A run with what its line shows when it is opened. */
export interface RunPreview {
  run: Run;
  /** Its last events, oldest first. */
  steps: Event[];
  assets: Asset[];
}

export type FeedLine = { ts: string } & ({ preview: RunPreview } | { event: Event });

/** When the newest event of a page was appended; empty for a page without lines. Runs are in order to the minute. */
export const newestOf = ({ lines }: LinePage): string =>
  lines
    .map(({ ts }) => ts)
    .toSorted()
    .at(-1) ?? "";

export interface LinePage {
  lines: FeedLine[];
  /** `before` of the next, older page; null on the last page. */
  next: string | null;
}
