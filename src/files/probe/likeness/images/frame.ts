/** Whether what surrounds a place in an image is of one brightness: a border that was added. */
import type { Picture, Place } from "./picture.ts";

/** Encoders smear what a border frames into it; text and lines are darker or brighter by more. */
const levelsMax = 48;
/** Pixels at the edge of the place that are not looked at. */
const smeared = 3;

/** For the place of the whole image, only its outermost pixels count. */
export function hasPlainFrame({ width, height, luma }: Picture, place: Place): boolean {
  const [left, top] = [Math.floor(place.left * width) - smeared, Math.floor(place.top * height) - smeared];
  const right = Math.ceil((place.left + place.width) * width) + smeared;
  const bottom = Math.ceil((place.top + place.height) * height) + smeared;
  const level = luma[0] as number;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const isEdge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
      const isOutside = x < left || x >= right || y < top || y >= bottom;
      if ((isEdge || isOutside) && Math.abs((luma[at] as number) - level) > levelsMax) return false;
    }
  return true;
}
