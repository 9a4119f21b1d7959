/**
 * Annotations drawn over a picture, as SVG with presentation attributes only: the Content-Security-Policy
 * allows no inline styles.
 */

import { type Target, unit } from "../../files/probe/marks/schema.ts";
import type { Annotation } from "../../library/annotations/schema.ts";

/** The annotations to draw over one version. */
export interface ShownPins {
  annotations: Annotation[];
  /** Open annotations of earlier versions, whose places are drawn if both have one shape. */
  ghosts?: Annotation[];
  /** URL of its entry in the list. */
  href(annotation: Annotation): string;
}

interface PinLayerProps {
  /** Id of the asset that they are drawn on. */
  id: string;
  pins: ShownPins;
}

/**
 * The pins of an image. Hidden from screen readers and the Tab key: the list beside it holds the same, and
 * links to each.
 */
export const PinLayer = ({ id, pins }: PinLayerProps) => (
  <svg class="overlay pins" data-pins={id} aria-hidden="true">
    <Pins {...pins} />
  </svg>
);

/**
 * The pins of a video, a PDF or an HTML page, of which a script shows those at the current time, page or
 * width. The content of a template is not drawn.
 */
export const PinTemplate = ({ id, pins }: PinLayerProps) => (
  <template data-pins={id}>
    <svg aria-hidden="true">
      <Pins {...pins} />
    </svg>
  </template>
);

export const Pins = ({ annotations, ghosts = [], href }: ShownPins) => {
  const pins = [
    ...ghosts.map((annotation) => ({ annotation, href: href(annotation), isGhost: true })),
    ...annotations.map((annotation) => ({ annotation, href: href(annotation), isGhost: false })),
  ].filter(({ annotation }) => pinOf(annotation.target) !== null);
  return (
    <>
      <svg class="paths" viewBox={`0 0 ${unit} ${unit}`} preserveAspectRatio="none" aria-hidden="true">
        {pins.map((pin) => (
          <PathMark key={pin.annotation.id} {...pin} />
        ))}
      </svg>
      {pins.map((pin) => (
        <Pin key={pin.annotation.id} {...pin} />
      ))}
    </>
  );
};

/** Where the pin stands: on a point, at the upper left corner of a rectangle, at the start of a path. */
function pinOf(target: Target | null): { x: number; y: number } | null {
  const [start] = target?.points ?? [];
  if (start) return { x: start[0] as number, y: start[1] as number };
  return target?.x === undefined || target.y === undefined ? null : { x: target.x, y: target.y };
}

/** `18.5%` of 1850. */
const percent = (value: number): string => `${value / 100}%`;

interface PinProps {
  annotation: Annotation;
  href: string;
  isGhost: boolean;
}

/** What scripts know of a pin: its number, and when it is shown. */
const markOf = ({ annotation: { n, weight, state, target }, isGhost }: PinProps) => ({
  class: `mark ${weight} ${isGhost ? "ghost" : state}`,
  "data-n": n,
  "data-page": target?.page,
  "data-from": target?.t_ms,
  "data-to": target?.t_end_ms,
  "data-width": target?.viewport?.w,
});

/** The number of a pin is beside the point that it marks, on the side where there is room. */
function labelAt({ x, y }: { x: number; y: number }) {
  const isAtRight = x > 0.94 * unit;
  return {
    x: percent(x),
    y: percent(y),
    dx: isAtRight ? -9 : 9,
    dy: y > 0.06 * unit ? -9 : 17,
    "text-anchor": isAtRight ? ("end" as const) : ("start" as const),
  };
}

/**
 * Positions are percents and no transforms: each transform is a layer to the browser, and a thousand of them
 * take 80 ms of each frame while panning.
 */
function Pin(pin: PinProps) {
  const { annotation, href, isGhost } = pin;
  const { target, n, version } = annotation;
  const at = pinOf(target);
  if (!at) return null;
  const label = labelAt(at);
  const text = isGhost ? `v${version} ${n}` : n;
  return (
    <g {...markOf(pin)}>
      {target?.shape === "rect" && <Box target={target} />}
      {target?.shape === "point" && <circle class="spot" cx={percent(at.x)} cy={percent(at.y)} r="4" />}
      <a href={href} tabIndex={-1}>
        <text class="flag halo" {...label}>
          {text}
        </text>
        <text class="flag" {...label}>
          {text}
        </text>
      </a>
    </g>
  );
}

/** Two lines, so that it is seen on every picture: the wider one below is white. */
function Box({ target: { x = 0, y = 0, w = 0, h = 0 } }: { target: Target }) {
  const sides = { x: percent(x), y: percent(y), width: percent(w), height: percent(h) };
  return (
    <>
      <rect class="shape halo" {...sides} />
      <rect class="shape" {...sides} />
    </>
  );
}

/** Only paths are stretched to the picture: their corners cannot be percents. */
function PathMark(pin: PinProps) {
  const { points } = pin.annotation.target ?? {};
  if (!points) return null;
  const corners = points.map((point) => point.join()).join(" ");
  return (
    <g {...markOf(pin)}>
      <polyline class="shape halo" points={corners} />
      <polyline class="shape" points={corners} />
    </g>
  );
}
