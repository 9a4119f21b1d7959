/** Sizes of two images that are shown at equal scale. */

/** The most that two aspect ratios differ by rounding to whole pixels. */
const ratioTolerance = 0.01;
export interface Size {
  width: number;
  height: number;
}

export function haveOneShape(one: Size, other: Size): boolean {
  return Math.abs(one.width / one.height / (other.width / other.height) - 1) < ratioTolerance;
}

/** The sizes at which two images are shown in a room, in the order of the images. */
export function equalSizes(one: Size, other: Size, room: Size): [Size, Size] {
  if (haveOneShape(one, other)) {
    const larger = one.width > other.width ? one : other;
    const size = scaled(larger, Math.min(1, room.width / larger.width, room.height / larger.height));
    return [size, size];
  }
  const [width, height] = [Math.max(one.width, other.width), Math.max(one.height, other.height)];
  const scale = Math.min(1, room.width / width, room.height / height);
  return [scaled(one, scale), scaled(other, scale)];
}

const scaled = ({ width, height }: Size, by: number): Size => ({ width: width * by, height: height * by });
