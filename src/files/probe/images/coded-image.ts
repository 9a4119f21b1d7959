/** What a child tells of the streams of an HEIF or AVIF image, for the command line of ffmpeg. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice } from "../../../core/wire.ts";

const side = Type.Integer({ minimum: 1, maximum: 65_535 });
const tiles = Type.Integer({ minimum: 1, maximum: 256 });

export const CodedImage = Type.Object({
  demuxer: Choice(["hevc", "ivf"]),
  columns: tiles,
  rows: tiles,
  width: side,
  height: side,
  /** The part of it that is shown. */
  crop: Type.Object({ width: side, height: side }),
  orientation: Type.Integer({ minimum: 1, maximum: 8 }),
  /** Tiles of the alpha channel; null if there is none. */
  alpha: Type.Union([Type.Object({ columns: tiles, rows: tiles }), Type.Null()]),
  /** Null: as the streams say. */
  matrix: Type.Union([Choice(["bt601", "bt709", "bt2020"]), Type.Null()]),
  isFullRange: Type.Union([Type.Boolean(), Type.Null()]),
});

export type CodedImage = Static<typeof CodedImage>;
