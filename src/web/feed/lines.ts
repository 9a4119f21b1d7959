/** The lines of the feed page: events, and runs with what their line shows when it is opened. */
import type { Asset } from "../../assets/schema.ts";
import type { Event } from "../../feed/schema.ts";
import type { Run } from "../../runs/schema.ts";

/** A run with what its line shows when it is opened. */
export interface RunPreview {
  run: Run;
  /** Its last events, oldest first. */
  steps: Event[];
  assets: Asset[];
}

export type FeedLine = { ts: string } & ({ preview: RunPreview } | { event: Event });

export interface LinePage {
  lines: FeedLine[];
  /** `before` of the next, older page; null on the last page. */
  next: string | null;
}
