/** Outlines of what changed, drawn over an image or a part of it. */
import type { ChangeBox } from "../../files/probe/likeness/schema.ts";
import type { Box } from "../../files/probe/marks/box.ts";
import { unit } from "../../files/probe/marks/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";

/** Null if the size of the image is not known. */
export const areaOf = ({ width, height }: Pick<Asset, "width" | "height">): Box | null =>
  width && height ? { x: 0, y: 0, w: width, h: height } : null;

/** A box of a change, with some space around it. @param margin share of the longer side of the image */
export function placeOf([x, y, w, h]: ChangeBox, image: Box, margin: number): Box {
  const around = margin * Math.max(image.w, image.h);
  const [left, top] = [
    Math.max(0, (x / unit) * image.w - around),
    Math.max(0, (y / unit) * image.h - around),
  ];
  return {
    x: Math.round(left),
    y: Math.round(top),
    w: Math.round(Math.min(image.w, ((x + w) / unit) * image.w + around) - left),
    h: Math.round(Math.min(image.h, ((y + h) / unit) * image.h + around) - top),
  };
}

/** A light line below a dark one, so that an outline shows on every image. */
export function Outlines({ boxes, image }: { boxes: readonly ChangeBox[]; image: Box }) {
  const places = boxes.map((box) => placeOf(box, image, 0.006));
  const lines = places.map(({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`).join("");
  return (
    <g class="change-outlines">
      <path class="halo" d={lines} />
      <path d={lines} />
    </g>
  );
}
