/** MIME types by file extension, for the files of a bundle. */
import mime from "mime";

export const mimeOfName = (path: string): string => mime.getType(path) ?? "application/octet-stream";
