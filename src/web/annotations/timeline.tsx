/** The annotations of a video or audio file on a line from its start to its end. */
import type { Asset } from "../../library/assets/schema.ts";
import type { ShownPins } from "./pins.tsx";

/** Null for a file of unknown duration. Without annotations a style hides it. */
export function Timeline({ asset, pins }: { asset: Asset; pins: ShownPins }) {
  const duration = asset.duration_ms;
  if (!duration) return null;
  const timed = pins.annotations.filter(({ target }) => target?.t_ms !== undefined);
  const share = (ms: number) => `${Math.min(100, (ms / duration) * 100).toFixed(2)}%`;
  return (
    <svg class="timeline" data-timeline={asset.id} aria-hidden="true">
      <rect class="line" y="50%" width="100%" height="2" />
      {timed.map((annotation) => {
        const { n, weight, target } = annotation;
        const [from, to] = [target?.t_ms ?? 0, target?.t_end_ms ?? target?.t_ms ?? 0];
        return (
          <a key={n} class={`mark ${weight}`} href={pins.href(annotation)} data-n={n} tabIndex={-1}>
            {to > from && (
              <rect class="range" x={share(from)} y="10%" width={share(to - from)} height="80%" />
            )}
            <svg x={share(from)} overflow="visible" aria-hidden="true">
              <rect class="flag" x="-2" y="5%" width="4" height="90%" rx="2" />
            </svg>
          </a>
        );
      })}
    </svg>
  );
}
