/** MIME types by file extension. */

const byExtension = new Map<string, string>(
  Object.entries({
    "text/html": "html htm",
    "text/css": "css",
    "text/javascript": "js mjs",
    "application/json": "json map",
    "application/manifest+json": "webmanifest",
    "application/wasm": "wasm",
    "application/xml": "xml",
    "application/pdf": "pdf",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/csv": "csv",
    "text/vtt": "vtt",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/x-icon": "ico",
    "font/woff2": "woff2",
    "font/woff": "woff",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg oga opus",
    "audio/wav": "wav",
    "video/mp4": "mp4 m4v",
    "video/webm": "webm",
    "model/gltf-binary": "glb",
    "model/gltf+json": "gltf",
  }).flatMap(([mime, extensions]) => extensions.split(" ").map((extension) => [extension, mime] as const)),
);

export function mimeOfName(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return byExtension.get(extension) ?? "application/octet-stream";
}
