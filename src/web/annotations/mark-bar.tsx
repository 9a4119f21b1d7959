/** The buttons that mark a place. They work only with scripts, so they are hidden until one shows them. */
import { weights } from "../../files/probe/marks/schema.ts";
import type { AssetKind } from "../../library/assets/schema.ts";
import { kindRows } from "../assets/kinds.ts";

interface MarkBarProps {
  kind: AssetKind;
  /** Whether its text can be selected. */
  hasLines: boolean;
}

export function MarkBar({ kind, hasLines }: MarkBarProps) {
  const { marks } = kindRows[kind];
  return (
    <p class="toolbar mark-bar" data-mark-bar hidden>
      {marks.includes("drawn") && (
        <button type="button" data-act="mark" aria-pressed="false" aria-keyshortcuts="M">
          Mark <kbd>M</kbd>
        </button>
      )}
      {marks.includes("drawn") && (
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
          <span class="weight-choice">
            {weights.map((weight, index) => (
              <button
                key={weight}
                type="button"
                data-act={weight}
                class={weight}
                aria-pressed="false"
                aria-keyshortcuts={`${index + 1}`}
              >
                {weight} <kbd>{index + 1}</kbd>
              </button>
            ))}
          </span>
          <span class="soft">Click or tap a place, or drag over it.</span>
        </span>
      )}
      {marks.includes("timed") && (
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
      {(hasLines || marks.includes("quoted")) && (
        <button type="button" data-act="quote" aria-keyshortcuts="Q" disabled>
          Quote selection <kbd>Q</kbd>
        </button>
      )}
      <output class="visually-hidden" data-mark-status />
    </p>
  );
}
