/** glTF files: a triangle as JSON with its data in it, and as a binary file of any JSON. */
import { bytes, le32 } from "./media.ts";

const corners = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
const data = Buffer.from(corners.buffer);

export const triangle = {
  asset: { version: "2.0", generator: "test" },
  ...{ scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }] },
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
  bufferViews: [{ buffer: 0, byteLength: data.length }],
  buffers: [
    { byteLength: data.length, uri: `data:application/octet-stream;base64,${data.toString("base64")}` },
  ],
};

/** @param jsonBytes the length of the JSON that the file claims */
export function glb(json: unknown, jsonBytes?: number): Uint8Array {
  const text = Buffer.from(typeof json === "string" ? json : JSON.stringify(json));
  const chunk = bytes(text, " ".repeat(-text.length & 3));
  return bytes(
    ...["glTF", le32(2), le32(20 + chunk.length)],
    ...[le32(jsonBytes ?? chunk.length), "JSON", chunk],
  );
}
