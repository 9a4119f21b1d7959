/**
 * Files whose URLs were requested within this second. A player asks for many ranges of one file: to check its
 * URL and read its row costs more than to read and send a small range, so both are remembered while no row
 * changes, and a small range of such a file passes neither the router nor a promise
 * (`bun run bench download`).
 */
import { boundedByCount, Cache, perObject } from "../../../core/lib/cache.ts";
import { secondMicros } from "../../../core/lib/time.ts";
import type { ServableFile } from "../../../library/assets/files/resolve.ts";
import type { Context } from "../../context.ts";
import { isHead } from "../head-requests.ts";
import {
  type FileResponseOptions,
  fileResponse,
  type ReadyFile,
  readyResponse,
  smallRangeResponse,
} from "./response.ts";

type FoundFile = { file: ServableFile } & FileResponseOptions;

export const recentFilesOf = perObject(({ data, now }: Context) => {
  const files = new Cache<string, ReadyFile>({
    max: 1_000,
    bytesOf: boundedByCount,
    /** URLs expire at the end of a second. */
    edition: () => {
      const version = data.dataVersion();
      return version === null ? null : `${version} ${Math.floor(now() / secondMicros)}`;
    },
  });
  return {
    /** Answers a request for a small range of a recent file; null for any other request. */
    smallRange(request: Request): Response | null {
      if (request.method !== "GET" || !request.headers.has("range")) return null;
      const ready = files.get(request.url);
      return ready ? smallRangeResponse(request, ready) : null;
    },

    /** Sends the file of a URL. It is found only if it is not recent. */
    async respond(request: Request, find: () => Promise<FoundFile>): Promise<Response> {
      const known = isHead(request) ? undefined : files.get(request.url);
      if (known) return readyResponse(request, known);
      const { generation } = files;
      const { file, ...options } = await find();
      // One with a check is checked at each request.
      const isLasting = file.size !== undefined && !file.verify;
      const remember = (ready: ReadyFile) => files.set(request.url, ready, generation);
      return fileResponse(request, file, options, isLasting ? remember : undefined);
    },
  };
});
