/**
 * How a file is shown. Sizes, thumbnails and annotated images all follow from here, so that an annotation,
 * whose place is a share of the shown size, is at the same place in each of them and in a browser.
 */

export interface Size {
  width: number;
  height: number;
}

export interface Area extends Size {
  x: number;
  y: number;
}

/** How stored pixels become what is shown. The size is the stored one. */
export interface Geometry extends Size {
  /** How rows and columns are turned: 1 to 8, as in Exif 3.0, 4.6.5.1.6. */
  orientation: number;
  /** Where the first frame of an animation is, if it does not cover all of it. */
  frame?: Area | undefined;
}

export const upright = 1;

/** From here on, stored rows are shown as columns. */
const firstTransposed = 5;

export const shownSize = ({ width, height, orientation }: Geometry): Size =>
  orientation >= firstTransposed ? { width: height, height: width } : { width, height };

/** The size of a file for an image whose longer side is within these bounds. */
export function scaledSize({ width, height }: Size, { min = 1, max }: { min?: number; max: number }): Size {
  const longer = Math.max(width, height);
  const scale = Math.min(max, Math.max(min, longer)) / longer;
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}

/** Turns stored pixels as they are shown. In any order of calls, Bun.Image rotates, mirrors, then resizes. */
export function turn(image: Bun.Image, orientation: number): Bun.Image {
  switch (orientation) {
    case 2:
      return image.flop();
    case 3:
      return image.rotate(180);
    case 4:
      return image.flip();
    case 5:
      return image.rotate(90).flop();
    case 6:
      return image.rotate(90);
    case 7:
      return image.rotate(90).flip();
    case 8:
      return image.rotate(270);
    default:
      return image;
  }
}

/** The place of a frame in its image, after the image was scaled. */
export function scaledFrame(frame: Area, from: Size, to: Size): Area {
  const [byX, byY] = [to.width / from.width, to.height / from.height];
  const span = (start: number, length: number, max: number) => {
    const first = Math.min(max - 1, Math.round(start));
    return [first, Math.max(1, Math.round(start + length) - first)] as const;
  };
  const [x, width] = span(frame.x * byX, frame.width * byX, to.width);
  const [y, height] = span(frame.y * byY, frame.height * byY, to.height);
  return { x, y, width, height };
}
