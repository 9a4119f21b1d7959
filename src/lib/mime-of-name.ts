/** MIME types by file extension. */
import mime from "mime";

export const mimeOfName = (path: string): string => mime.getType(path) ?? "application/octet-stream";
