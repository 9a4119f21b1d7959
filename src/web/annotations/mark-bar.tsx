/** @jsxImportSource preact */
/** The buttons that mark a place. They work only with scripts, so they are hidden until one shows them. */
import type { AssetKind } from "../../library/assets/schema.ts";

interface MarkBarProps {
  kind: AssetKind;
  /** Whether its text can be selected. */
  hasLines: boolean;
}

const drawn = new Set<AssetKind>(["image", "video", "pdf", "html"]);
const timed = new Set<AssetKind>(["video", "audio"]);

export const MarkBar = ({ kind, hasLines }: MarkBarProps) => (
  <p class="toolbar mark-bar" data-mark-bar hidden>
    {drawn.has(kind) && (
      <button type="button" data-act="mark" aria-pressed="false" aria-keyshortcuts="M">
        Mark <kbd>M</kbd>
      </button>
    )}
    {drawn.has(kind) && (
      <span class="tools" data-tools hidden>
        <button type="button" data-act="box" aria-pressed="true">
          Point or box
        </button>
        <button type="button" data-act="path" aria-pressed="false">
          Path
        </button>
        <button type="button" data-act="finish" hidden>
          Finish path
        </button>
        <span class="soft">Click or tap a place, or drag over it.</span>
      </span>
    )}
    {timed.has(kind) && (
      <>
        <button type="button" data-act="time" aria-keyshortcuts="T">
          Mark time <kbd>T</kbd>
        </button>
        <button type="button" data-act="start" aria-pressed="false" aria-keyshortcuts="[">
          Range start <kbd>[</kbd>
        </button>
        <button type="button" data-act="end" aria-keyshortcuts="]">
          Range end <kbd>]</kbd>
        </button>
      </>
    )}
    {(hasLines || kind === "pdf") && (
      <button type="button" data-act="quote" aria-keyshortcuts="Q" disabled>
        Quote selection <kbd>Q</kbd>
      </button>
    )}
    <output class="visually-hidden" data-mark-status />
  </p>
);
