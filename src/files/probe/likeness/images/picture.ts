/** The brightness of an image, and a part of it. */
import type { Size } from "../../geometry.ts";

/** The brightness of an image. */
export interface Picture extends Size {
  luma: Int16Array;
}

/** Left and top in the original, in shares of it, and the shares of its sides that are shown. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}
