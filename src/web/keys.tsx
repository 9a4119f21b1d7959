/** The keyboard shortcuts: one table, the dialog that lists them on every page, and the switch for them. */
import { renderToString } from "preact-render-to-string";

const shortcuts: Record<string, readonly (readonly [keys: string, action: string])[]> = {
  "Every page": [
    ["/ Ctrl+K", "Search, go to a page, or run a command"],
    ["?", "Show keyboard shortcuts"],
  ],
  Today: [
    ["J K", "Next item, previous item: on a wide screen it opens beside the list"],
    ["Enter", "Its page: of an asset, the review desk"],
    ["E", "Done"],
    ["H", "Snooze"],
    ["A", "Choose Approve: Enter sends it"],
    ["R", "Write why to reject: Ctrl+Enter sends it"],
    ["X", "Select"],
    ["U", "Undo"],
  ],
  Lists: [
    ["J K", "Next row, previous row"],
    ["Enter", "Open it: a run, an asset, a task, or a decision"],
  ],
  Run: [
    ["J", "Next attempt at the task"],
    ["K", "Previous attempt"],
  ],
  Review: [
    ["J", "Next asset in the queue"],
    ["K", "Previous asset in the queue"],
    ["A", "Choose Approve: Enter sends it"],
    ["R", "Choose Reject: Enter sends it, or without a note write one and press Ctrl+Enter"],
    ["U", "Undo, within 10 seconds"],
    ["I", "Open or close the details"],
    ["1", "Show this version only"],
    ["2", "Compare with the previous version"],
    ["+ − 0", "Zoom in, zoom out, fit"],
    [", .", "Step back, step forward: a frame, 0.1 seconds, or a page"],
    ["W", "Next width (HTML)"],
  ],
  "Comparing, on the review desk": [
    ["S W O F D", "Side by side, wipe, onion skin, flicker, difference (images)"],
    ["T", "Text diff (texts, HTML)"],
    ["J K", "Next, previous change, where the difference outlines them"],
    ["← →", "Move the wipe or the opacity, with the focus on the images"],
    ["F", "Switch version, while flickering"],
    ["Space", "Play or pause: both files, or the flicker"],
  ],
  "Annotations, on the review desk": [
    ["M", "Mark a place: arrow keys move the crosshair, Enter marks"],
    ["1 2 3", "Must, should, nit, while marking; with Alt while you type"],
    ["Shift ←→↑↓", "Draw a box"],
    ["Ctrl ←→↑↓", "Move in small steps"],
    ["T", "Mark the current time (video, audio)"],
    ["[ ]", "Start and end of a range (video, audio)"],
    ["Q", "Quote the selected text"],
    ["J K", "Next, previous annotation, while marking or in their list"],
    ["Enter", "Save what you typed at a mark; Shift+Enter starts a new line"],
    ["Esc", "Cancel"],
  ],
  "Review many": [
    ["J K", "Next, previous group"],
    ["←→↑↓", "Move in the group"],
    ["Space", "Larger view, where it is not beside the groups"],
    ["B", "Show both versions in turn"],
    ["X", "Pick, or take back"],
    ["Shift X", "Pick all of the group, or none"],
    ["A", "Approve the group without what is picked"],
    ["Shift A", "Approve what is picked"],
    ["R", "Reject what is picked, or else the group: Enter in the note sends it"],
    ["Enter", "Open the asset"],
    ["U", "Undo, within 10 seconds"],
  ],
  "Variant set": [
    ["←→↑↓", "Move"],
    ["Space", "Pick, or take back"],
    ["1–9", "Pick the variant with this number"],
    ["C", "Compare the picked ones, up to four"],
    ["R", "Note: Ctrl+Enter approves the picked ones and rejects the rest"],
    ["Esc", "Stop comparing"],
  ],
  Assets: [
    ["Shift Click", "Select all assets up to this one"],
    ["←→↑↓ Enter", "Contact sheet: move, open"],
    ["1–9", "Contact sheet: open this one"],
  ],
};

/** For this browser. A script makes it work. */
export const SingleKeysSwitch = () => (
  <label class="switch">
    <input type="checkbox" data-single-keys defaultChecked disabled />
    Single-key shortcuts, in this browser
  </label>
);

const Shortcuts = () => (
  <>
    <form method="dialog" class="head">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <button type="submit">Close</button>
    </form>
    <SingleKeysSwitch />
    {Object.entries(shortcuts).map(([place, rows]) => (
      <section key={place}>
        <h3>{place}</h3>
        <KeyList rows={rows} />
      </section>
    ))}
  </>
);

/** What keys do. */
export const KeyList = ({ rows }: { rows: readonly (readonly [keys: string, action: string])[] }) => (
  <dl class="keys">
    {rows.map(([keys, action]) => (
      <div key={keys}>
        <dt>
          {keys.split(" ").map((label) => (
            <kbd key={label}>{label}</kbd>
          ))}
        </dt>
        <dd>{action}</dd>
      </div>
    ))}
  </dl>
);

/** Rendered once in a process: every page has its 400 elements (`bun run bench page-times`). */
let shortcutsHtml: string | undefined;

export function Keys() {
  shortcutsHtml ??= renderToString(<Shortcuts />);
  return (
    <dialog id="keys" aria-labelledby="keys-title" dangerouslySetInnerHTML={{ __html: shortcutsHtml }} />
  );
}
