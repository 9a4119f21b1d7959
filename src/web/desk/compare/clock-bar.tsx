/** @jsxImportSource preact */
/** Controls two videos or audio files together. They work only with scripts. */
import type { AssetKind } from "../../../library/assets/schema.ts";
import { Tool } from "../media/media.tsx";

export function ClockBar({ names, kind }: { names: [string, string]; kind: AssetKind }) {
  const one = kind === "video" ? "one frame" : "0.1 seconds";
  return (
    <p class="toolbar clock" data-clock hidden>
      <button type="button" data-act="play" aria-keyshortcuts="Space">
        Play both
      </button>
      <Tool icon="back" name={`Both back ${one}`} act="back" />
      <Tool icon="forward" name={`Both forward ${one}`} act="forward" />
      <input type="range" min="0" max="0" step="0.001" value="0" aria-label="Time of both" data-seek />
      <output data-clock-time>0:00.000</output>
      <span class="tools">
        <span class="soft">Sound</span>
        {names.map((name, index) => (
          <button type="button" key={name} data-act={`sound-${index}`} aria-pressed={index === 1}>
            <span class="visually-hidden">Sound of </span>
            {name}
          </button>
        ))}
      </span>
    </p>
  );
}
