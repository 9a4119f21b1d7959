/** What a glTF file contains, as a child of the probe reports it. */
import { type Static, Type } from "@sinclair/typebox";

const Count = Type.Integer({ minimum: 0 });
export const namesMax = 8;
const Names = Type.Array(Type.String({ maxLength: 255 }), { maxItems: namesMax });

export const ModelContents = Type.Object({
  meshes: Count,
  triangles: Count,
  textures: Count,
  animations: Count,
  /** Extensions in it that need a decoder which the viewer does not have. */
  undecoded: Names,
  /** Files that it refers to, and that are not in it. */
  missing: Names,
});
export type ModelContents = Static<typeof ModelContents>;
