/** @jsxImportSource preact */
/** What the keys of the desk do. */

const keys = [
  ["J", "the next one in the queue"],
  ["K", "the one before"],
  ["A", "approve"],
  ["R", "reject: write the note, then R or Ctrl Enter"],
  ["U", "undo, for ten seconds"],
  ["1", "this version alone"],
  ["2", "beside the version before"],
  ["+ − 0", "zoom in, out, fit"],
  [", .", "a step back, a step on (video, audio)"],
  ["?", "these keys"],
] as const;

export const Keys = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl class="keys">
      {keys.map(([key, what]) => (
        <div key={key}>
          <dt>
            {key.split(" ").map((one) => (
              <kbd key={one}>{one}</kbd>
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
