/** In the child: what a glTF file contains, from its JSON alone. No geometry and no image is decoded. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { checker } from "../../../core/lib/validate.ts";
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "../images/container.ts";
import { limits } from "../limits.ts";
import { binaryModelType } from "./model-types.ts";
import { type ModelContents, namesMax } from "./schema.ts";

const List = <T extends TSchema>(item: T) => Type.Optional(Type.Array(item));
const Index = Type.Optional(Type.Integer({ minimum: 0 }));
const Resource = Type.Object({ uri: Type.Optional(Type.String()) });
const Primitive = Type.Object({
  mode: Index,
  indices: Index,
  attributes: Type.Object({ POSITION: Index }),
});

/** The fields of glTF 2.0 that are read. */
const Gltf = Type.Object({
  asset: Type.Object({ version: Type.String({ pattern: "^2\\." }) }),
  meshes: List(Type.Object({ primitives: Type.Array(Primitive) })),
  accessors: List(Type.Object({ count: Type.Integer({ minimum: 0, maximum: 2 ** 32 }) })),
  textures: List(Type.Unknown()),
  animations: List(Type.Unknown()),
  buffers: List(Resource),
  images: List(Resource),
  extensionsUsed: List(Type.String()),
});
type Gltf = Static<typeof Gltf>;

/** Compression that three.js decodes with code from another server. */
const decoded = new Set(["KHR_draco_mesh_compression", "KHR_texture_basisu"]);

/** Null if the file is damaged, or its JSON is too large. */
export function readModel(file: BlockReader, mime: string): ModelContents | null {
  const text = mime === binaryModelType ? jsonChunk(file) : wholeText(file);
  const gltf: unknown = text && JSON.parse(text);
  return checker(Gltf).Check(gltf) ? contentsOf(gltf as Gltf) : null;
}

function contentsOf(gltf: Gltf): ModelContents {
  const { meshes = [], accessors = [], textures = [], animations = [], extensionsUsed = [] } = gltf;
  const primitives = meshes.flatMap((mesh) => mesh.primitives);
  const triangles = primitives.map(({ mode = 4, indices, attributes: { POSITION } }) =>
    trianglesOf(mode, accessors[indices ?? POSITION ?? -1]?.count ?? 0),
  );
  const resources = [...(gltf.buffers ?? []), ...(gltf.images ?? [])];
  return {
    meshes: meshes.length,
    triangles: triangles.reduce((sum, count) => sum + count, 0),
    textures: textures.length,
    animations: animations.length,
    undecoded: extensionsUsed.filter((name) => decoded.has(name)).slice(0, namesMax),
    missing: resources
      .flatMap(({ uri }) => (uri === undefined || uri.startsWith("data:") ? [] : [uri.slice(0, 255)]))
      .slice(0, namesMax),
  };
}

/** @param mode of a primitive: 4 for triangles, 5 and 6 for strips and fans, others for points and lines */
const trianglesOf = (mode: number, count: number): number =>
  mode === 4 ? Math.floor(count / 3) : mode === 5 || mode === 6 ? Math.max(0, count - 2) : 0;

const [headerBytes, chunkHeaderBytes] = [12, 8];

/** The first chunk of a GLB, which has to be JSON (glTF 2.0, 4.4); null if it is not, or is too long. */
function jsonChunk(file: BlockReader): string | null {
  const header = file.read(0, headerBytes + chunkHeaderBytes);
  if (header.length < headerBytes + chunkHeaderBytes || tagAt(header, 0) !== "glTF") return null;
  const view = viewOf(header);
  const length = view.getUint32(headerBytes, true);
  const isWhole = view.getUint32(8, true) <= file.size && header.length + length <= file.size;
  if (!isWhole || tagAt(header, headerBytes + 4) !== "JSON" || length > limits.modelJsonBytes) return null;
  return new TextDecoder().decode(file.read(header.length, length));
}

const wholeText = (file: BlockReader): string | null =>
  file.size > limits.modelTextBytes ? null : new TextDecoder().decode(file.read(0, file.size));
