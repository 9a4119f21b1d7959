/** The media types of glTF, and how its JSON is recognized. */
export const binaryModelType = "model/gltf-binary";
export const jsonModelType = "model/gltf+json";

export const isModel = ({ mime }: { mime: string }): boolean =>
  mime === binaryModelType || mime === jsonModelType;

/** Whether the beginning of a JSON text is that of a glTF 2.0 file. */
export const isGltfText = (head: string): boolean =>
  head.startsWith("{") &&
  /"asset"\s*:\s*\{[^{}]*"version"\s*:\s*"2\./.test(head) &&
  /"(scenes?|nodes|meshes|buffers|accessors)"\s*:/.test(head);
