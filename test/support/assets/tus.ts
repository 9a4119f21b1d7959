/** Requests of the tus protocol, for tests. */
import { must } from "../harness.ts";
import { type Library, pathOf } from "../library.ts";

/** Names a piece of a file in a request. */
export const pieceType = { "content-type": "application/offset+octet-stream" };

export const tusRequests = (library: Library) => {
  const send = (method: string, url: string, headers: Record<string, string> = {}, body?: BodyInit) =>
    library.ask(pathOf(url), {
      method,
      headers: { "tus-resumable": "1.0.0", ...headers },
      ...(body !== undefined && { body }),
    });
  return {
    send,
    patch: (url: string, offset: number, body: BodyInit, headers: Record<string, string> = {}) =>
      send("PATCH", url, { ...pieceType, "upload-offset": String(offset), ...headers }, body),
    offsetAt: async (url: string) => Number((await send("HEAD", url)).headers.get("upload-offset")),
    /** Reserves an upload and begins it. */
    async begin(length: number) {
      const reserved = (await library.presign({ filename: "clip.bin" })).body;
      const response = await send("POST", reserved.resumable_url, { "upload-length": String(length) });
      return { reserved, response, url: must(response.headers.get("location")) };
    },
  };
};
