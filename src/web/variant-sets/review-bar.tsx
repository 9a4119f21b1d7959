/** @jsxImportSource preact */
/** The note and the buttons that review a variant set. */

interface ReviewBarProps {
  note: string;
  pages: number;
}

/** Answers of the checklist are checked by the server: to reject all needs none. */
export const ReviewBar = ({ note, pages }: ReviewBarProps) => (
  <section class="bulk" aria-label="Review the set">
    <p>
      <strong id="picked-count" aria-live="polite" />
      <button type="button" id="compare-picked" aria-keyshortcuts="C" hidden>
        Compare <kbd>C</kbd>
      </button>
    </p>
    <label>
      Note <input name="note" maxLength={2000} value={note} placeholder="Why the others were not picked" />
    </label>
    <p class="buttons">
      <button class="primary" name="rest" value="reject" type="submit" formNoValidate>
        Approve picked, reject the rest{pages > 1 && ` of all ${pages} pages`}
      </button>
      <button name="rest" value="keep" type="submit" formNoValidate>
        Approve picked only
      </button>
    </p>
  </section>
);
