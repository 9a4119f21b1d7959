/** MIME types by file extension. */
import mime from "mime";
