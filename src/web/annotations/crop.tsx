/** A part of an image, cut out by the viewBox of an SVG: the browser loads the whole image once. */

import { type Box, boxOf } from "../../files/probe/marks/box.ts";
import { type Target, unit } from "../../files/probe/marks/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";

interface CropProps {
  asset: Pick<Asset, "url" | "width" | "height">;
  target: Target | null;
  label: string;
}

/** Null where there is nothing to show: no place on the picture, or no picture. */
export function Crop({ asset: { url, width, height }, target, label }: CropProps) {
  const box = target && boxOf(target);
  if (!url || !width || !height || !box) return null;
  const part = cropAround(box, width / height);
  const [px, py] = [(x: number) => (x * width) / unit, (y: number) => (y * height) / unit];
  const view = [px(part.x), py(part.y), px(part.w), py(part.h)].map((value) => Math.round(value * 10) / 10);
  const shape = { x: px(box.x), y: py(box.y), width: px(box.w), height: py(box.h) };
  return (
    <svg class="crop" viewBox={view.join(" ")} role="img" aria-label={label}>
      <image href={url} width={width} height={height} preserveAspectRatio="none" />
      {target.points ? (
        <polyline
          class="shape"
          points={target.points.map(([x = 0, y = 0]) => `${px(x)},${py(y)}`).join(" ")}
        />
      ) : box.w > 0 ? (
        <rect class="shape" {...shape} />
      ) : (
        <circle class="shape" cx={shape.x} cy={shape.y} r={(view[2] as number) / 14} />
      )}
    </svg>
  );
}

/** A crop shows at least this share of each side, so that the surroundings are recognized. */
const cropMin = 2_400;
const margin = 0.3;

/** Crops are at most this much wider than high, or higher than wide. */
const ratioMax = 1.6;

/**
 * The part of the picture to show for a box: the box, what is around it, and nothing beyond the edges.
 * @param ratio width of the picture by its height
 */
function cropAround({ x, y, w, h }: Box, ratio: number): Box {
  const side = (size: number, least: number) =>
    Math.round(Math.min(unit, Math.max(cropMin, size * (1 + 2 * margin), least)));
  const width = side(w, 0);
  const height = side(h, (width * ratio) / ratioMax);
  const shown = { w: side(w, height / ratio / ratioMax), h: height };
  const start = (at: number, size: number, part: number) =>
    Math.min(unit - part, Math.max(0, Math.round(at + size / 2 - part / 2)));
  return { x: start(x, w, shown.w), y: start(y, h, shown.h), ...shown };
}
