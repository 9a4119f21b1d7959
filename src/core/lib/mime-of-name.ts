/** MIME types by file extension. */
import mime from "mime";

/** The media type that a file name suggests; `application/octet-stream` if unknown. */
export const mimeOfName = (path: string): string => mime.getType(path) ?? "application/octet-stream";

/** The usual file extension of a media type, without its dot; null for an unknown one. */
export const extensionOfMime = (type: string): string | null => mime.getExtension(type);
