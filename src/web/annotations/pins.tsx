/** @jsxImportSource preact */
/**
 * Annotations drawn over a picture, as SVG with presentation attributes only: the Content-Security-Policy
 * allows no inline styles. Numbers keep their shape on any picture, because only paths are stretched to it.
 */
import { type Annotation, type Target, unit } from "../../annotations/schema.ts";
import { percent, pinOf } from "./geometry.ts";

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

const Pins = ({ annotations, ghosts = [], href }: ShownPins) => (
  <>
    {ghosts.map((annotation) => (
      <Pin key={annotation.id} annotation={annotation} href={href(annotation)} isGhost />
    ))}
    {annotations.map((annotation) => (
      <Pin key={annotation.id} annotation={annotation} href={href(annotation)} />
    ))}
  </>
);

interface PinProps {
  annotation: Annotation;
  href: string;
  isGhost?: boolean;
}

function Pin({ annotation: { n, weight, state, target, version }, href, isGhost = false }: PinProps) {
  const at = pinOf(target);
  if (!at || !target) return null;
  const [left, above] = [at.x > 0.94 * unit, at.y > 0.06 * unit];
  const label = isGhost ? `v${version} ${n}` : `${n}`;
  const width = 8 + 7 * label.length;
  return (
    <g
      class={`mark ${weight} ${isGhost ? "ghost" : state}`}
      data-n={n}
      data-page={target.page}
      data-from={target.t_ms}
      data-to={target.t_end_ms}
      data-width={target.viewport?.w}
    >
      <Shape target={target} />
      <svg x={percent(at.x)} y={percent(at.y)} overflow="visible" aria-hidden="true">
        <g class="pin">
          {target.shape === "point" && <circle class="spot" r="4" />}
          <a href={href} tabIndex={-1}>
            <g transform={`translate(${left ? -width - 3 : 3} ${above ? -20 : 3})`}>
              <rect class="flag" width={width} height="17" rx="4" />
              <text x={width / 2} y="12.5" text-anchor="middle">
                {label}
              </text>
            </g>
          </a>
        </g>
      </svg>
    </g>
  );
}

/** Two lines, so that it is seen on every picture: the wider one below is white. */
function Shape({ target: { shape, points, x = 0, y = 0, w = 0, h = 0 } }: { target: Target }) {
  if (shape === "rect") {
    const sides = { x: percent(x), y: percent(y), width: percent(w), height: percent(h) };
    return (
      <>
        <rect class="shape halo" {...sides} />
        <rect class="shape" {...sides} />
      </>
    );
  }
  if (!points) return null;
  const corners = points.map((point) => point.join()).join(" ");
  return (
    <svg
      viewBox={`0 0 ${unit} ${unit}`}
      preserveAspectRatio="none"
      width="100%"
      height="100%"
      aria-hidden="true"
    >
      <polyline class="shape halo" points={corners} />
      <polyline class="shape" points={corners} />
    </svg>
  );
}
