/** What changed between two images, as a child of the probe reports it. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Nullable } from "../../../core/wire.ts";
import { unit } from "../marks/schema.ts";

export const layersMax = 8;
export const boxesMax = 24;

const Share = Type.Integer({ minimum: 0, maximum: unit });
const Channel = Type.Integer({ minimum: -255, maximum: 255 });

/** Left, top, width, and height as shares of the image, in ten-thousandths. */
export const ChangeBox = Type.Tuple([Share, Share, Share, Share]);
export type ChangeBox = Static<typeof ChangeBox>;

/** Pixels that changed alike, such as a header that is green instead of blue. */
export const ChangeLayer = Type.Object({
  /** How far red, green, and blue moved; null for pixels that changed in different ways. */
  color: Nullable(Type.Tuple([Channel, Channel, Channel])),
  /** How many pixels of a million. */
  pixels: Type.Integer({ minimum: 0, maximum: 1e6 }),
  boxes: Type.Array(ChangeBox, { minItems: 1, maxItems: boxesMax }),
});
export type ChangeLayer = Static<typeof ChangeLayer>;

export const pictureStates = ["same", "similar", "changed"] as const;

export const PictureChange = Type.Object({
  /**
   * `same`: every pixel is, up to rounding. `similar`: no pixel changed visibly, as after another encoding.
   */
  state: Choice(pictureStates),
  /** The largest difference of a channel of a pixel. */
  worst: Type.Integer({ minimum: 0, maximum: 255 }),
  /** The largest first; empty unless it changed. */
  layers: Type.Array(ChangeLayer, { maxItems: layersMax }),
});
export type PictureChange = Static<typeof PictureChange>;

/** Whether a file is another one in another form. */
export const placeStates = ["unchanged", "changed", "unknown"] as const;
export type PlaceState = (typeof placeStates)[number];

export const FileMatch = Type.Object({
  isSame: Type.Boolean(),
  /** Of each mark, in their order. */
  places: Type.Array(Choice(placeStates)),
});
export type FileMatch = Static<typeof FileMatch>;
