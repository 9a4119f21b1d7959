/** @jsxImportSource preact */
/** The keyboard shortcuts of the review desk. */

const keys = [
  ["J", "Next asset in the queue"],
  ["K", "Previous asset in the queue"],
  ["A", "Approve"],
  ["R", "Reject: write a note, then press Ctrl+Enter"],
  ["U", "Undo, within 10 seconds"],
  ["1", "Show this version only"],
  ["2", "Compare with the previous version"],
  ["+ − 0", "Zoom in, zoom out, fit"],
  [", .", "Step back, step forward (video, audio)"],
  ["?", "Show keyboard shortcuts"],
] as const;

export const Keys = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keyboard shortcuts</h2>
    <dl class="keys">
      {keys.map(([key, what]) => (
        <div key={key}>
          <dt>
            {key.split(" ").map((label) => (
              <kbd key={label}>{label}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog">
      <button type="submit">Close</button>
    </form>
  </dialog>
);
